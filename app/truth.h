// app/truth.h — reference annotations: which beats a recording has, and of which kind, according to an expert.
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

// Beats in time order, from one of
//   NAME.csv        header with the columns sample and symbol; a symbol that is no beat is an error
//   any other name  WFDB annotation file in MIT format; annotations that are no beats are passed over
// Samples are those of the file: an annotation file with a clock of its own ("## time resolution") is not converted.
std::vector<ReferenceBeat> read_truth(const std::filesystem::path& path);

}  // namespace beatscan
