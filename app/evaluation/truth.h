// app/evaluation/truth.h — reference annotations: the beats of a recording and their kinds, according to an expert.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/evaluation/annotations.h"

namespace beatscan {

struct ReferenceBeat {
  std::int64_t sample;  // counts from 0 in the recording
  char symbol;          // WFDB beat symbol
};

// Symbols: N = N L R e j, S = A a J S, V = V E, F = F, Q = B / f Q n r ?
enum class BeatClass { N, S, V, F, Q };

// Returns the class of a symbol; nothing if it stands for no beat, such as rhythm changes, noise and waveform marks.
std::optional<BeatClass> class_of(char symbol);

// Says whether a truth file is a table of text, by its name: .csv, .tsv or .txt. Otherwise it is a WFDB annotation
// file.
bool is_csv(const std::filesystem::path& path);

// Reads beats, in time order, from one of
//   NAME.csv        table (truth_table.h) of samples, or times, and symbols; a symbol that is no beat is an error
//   any other name  WFDB annotation file in MIT format; annotations that are no beats are passed over
// The times of an annotation file become samples of the signal. The file counts by a clock of its own if its first note
// is "## time resolution: HZ", and otherwise in frames of its record.
std::vector<ReferenceBeat> read_truth(const std::filesystem::path& path, const SignalClock& clock = {});

// Beats that come without a signal.
struct ListedBeats {
  std::vector<ReferenceBeat> beats;  // in time order
  std::int64_t without_symbol = 0;   // these are N
  std::int64_t out_of_order = 0;     // beats that stand after one that comes later
  std::optional<double> rate_hz;     // what samples and times, where the table has both, make of the sampling rate
};

// Reads beats as read_truth does. A CSV file may lack the column `symbol`, or have empty cells in it. Then the column
// `kind` counts, as in beats.csv.
ListedBeats read_beats(const std::filesystem::path& path, const SignalClock& clock);

// Warns if the truth has no beats, or beats beyond the end of a recording of `samples` samples.
std::vector<std::string> warnings_of(std::span<const ReferenceBeat> truth, std::int64_t samples,
                                     const std::filesystem::path& path);

}  // namespace beatscan
