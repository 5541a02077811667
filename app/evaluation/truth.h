// app/evaluation/truth.h — reference annotations: which beats a recording has, and of which kind, according to an
// expert.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace beatscan {

struct ReferenceBeat {
  std::int64_t sample;  // counts from 0 in the recording
  char symbol;          // WFDB beat symbol
};

// Symbols: N = N L R e j, S = A a J S, V = V E, F = F, Q = B / f Q n r ?
enum class BeatClass { N, S, V, F, Q };

// Nothing for a symbol that does not stand for a beat (rhythm changes, noise, waveform marks).
std::optional<BeatClass> class_of(char symbol);

// What samples of the signal are counted by.
struct SignalClock {
  std::optional<double> sample_rate_hz;
  std::int64_t samples_per_frame = 1;  // of a WFDB record
};

// Beats in time order, from one of
//   NAME.csv        header with the columns sample and symbol; a symbol that is no beat is an error
//   any other name  WFDB annotation file in MIT format; annotations that are no beats are passed over
// Samples of an annotation file become samples of the signal: it counts by a clock of its own where it says so ("##
// time resolution: HZ" in its first note), else frames of its record.
std::vector<ReferenceBeat> read_truth(const std::filesystem::path& path, const SignalClock& clock = {});

// Warnings where the truth is of another recording than one of so many samples, or of none.
std::vector<std::string> warnings_of(const std::vector<ReferenceBeat>& truth, std::int64_t samples,
                                     const std::filesystem::path& path);

}  // namespace beatscan
