// stages/io/edf/edf_gaps.h — the interruptions of an EDF+D file as gaps in its samples.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "stages/io/recording/sample_source.h"

namespace beatscan {

// A run of samples that were not recorded.
struct EdfGap {
  std::int64_t before_sample, samples;
};

// Returns the interruptions between data records by their onsets; NaN where one is not known: no
// interruption is assumed before such a record, nor before the first one with an onset, with a warning. Records that
// begin before the last one ends follow it at once, with a warning. Throws ErrorKind::input if one comes far too late.
//   in_record  samples of a record
std::vector<EdfGap> gaps_between(std::span<const double> onsets_s, double duration_s, double rate_hz,
                                 std::int64_t in_record, const std::string& path, std::vector<std::string>& warnings);

// Returns a function that fills blocks with the samples that `read` gives, and with NaN in the gaps.
std::function<void(LeadBlocks)> with_gaps(std::function<void(LeadBlocks)> read, std::vector<EdfGap> gaps);

}  // namespace beatscan
