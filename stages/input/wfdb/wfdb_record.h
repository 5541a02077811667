// stages/input/wfdb/wfdb_record.h — one lead of a WFDB record: RECORD.hea and the signal files that it names. Source:
// WFDB Applications Guide, header(5) and signal(5).
//
// Values are (sample - baseline) / gain, computed in double and rounded to float32. The format's value for a missing
// sample is one; so is every sample of a segment that was not recorded (~) or lacks the lead.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "stages/input/wfdb/wfdb_header.h"
#include "stages/recording/input_file.h"
#include "stages/recording/sample_source.h"

namespace beatscan {

// Consecutive samples of the lead.
struct WfdbPart {
  std::int64_t samples = 0;
  WfdbSignal signal = {};          // where they are, and what they mean …
  InputPart file = {};             // … in this file; without a path: missing
  std::int64_t frame_samples = 0;  // of all signals in the file
  std::int64_t first_in_frame = 0;
  std::int64_t channel = 0;  // the signal's place among those in the file
};

struct WfdbRecord {
  SignalInfo signal;
  std::filesystem::path path;    // of the header
  std::vector<InputPart> files;  // the header, those of its segments, and each signal file that the lead is in
  std::vector<WfdbPart> parts;   // in order
  std::int64_t samples = 0, bytes = 0;
};

// Formats of FLAC files.
constexpr bool is_flac(int format) { return format == 508 || format == 516 || format == 524; }

// Reads the headers and looks at the sizes of the files; nothing is decoded. `lead` as for choose_lead. Throws
// ErrorKind::input for a header that is not well formed, a file that is missing, outside of the header's folder or too
// short, and a format that is not known.
WfdbRecord open_wfdb(const std::filesystem::path& header, const std::string& lead);

// Its samples. A sum of samples that is not the header's checksum is ErrorKind::input.
SampleSource source_of(std::shared_ptr<const WfdbRecord> record);

}  // namespace beatscan
