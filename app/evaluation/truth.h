// app/evaluation/truth.h — reference annotations of beats: files of WFDB and CSV tables, in a folder or one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "app/evaluation/annotations.h"
#include "stages/classify/beat_findings.h"

namespace beatscan {

struct ReferenceBeat {
  std::int64_t sample;  // counts from 0 in the recording
  char symbol;          // WFDB beat symbol
};

// Symbols: N = N L R e j, S = A a J S, V = V E, F = F, Q = B / f Q n r ?

// Returns the class of a symbol; nullopt if it is not a beat, such as rhythm changes, noise and waveform marks.
std::optional<BeatClass> class_of(char symbol);

// Returns whether a truth file is a table of text, by its name: .csv, .tsv or .txt. Otherwise it is a WFDB annotation
// file.
bool is_csv(const std::filesystem::path& path);

// Reads beats, in time order, from one of
//   NAME.csv        table of samples, or times, and symbols; a symbol that is not a beat is an error
//   any other name  WFDB annotation file in MIT format, or an EDF+ file with annotations; those that are no beats are
//                   skipped
// The times of an annotation file are converted to samples of the signal. Its clock is that of its first note
// "## time resolution: HZ" if it has one, and otherwise the frames of its record.
std::vector<ReferenceBeat> read_truth(const std::filesystem::path& path, const SignalClock& clock = {});

// Returns how many beats follow a later beat in the file.
std::int64_t beats_out_of_order(const std::filesystem::path& path);

// Beats that come without a signal.
struct ListedBeats {
  std::vector<ReferenceBeat> beats;  // in time order
  std::int64_t without_symbol = 0;   // these are set to N
  std::int64_t out_of_order = 0;     // beats that follow a later beat in the file
  std::optional<double> rate_hz;     // sampling rate derived from samples and times, if the table has both
};

// Reads beats as read_truth does. A CSV file may lack the column `symbol`, or have empty cells in it. Then the column
// `class` counts, as in beats.csv.
ListedBeats read_beats(const std::filesystem::path& path, const SignalClock& clock);

// Warns if the truth has no beats, or beats beyond the end of a recording of `samples` samples.
std::vector<std::string> warnings_of(std::span<const ReferenceBeat> truth, std::int64_t samples,
                                     const std::filesystem::path& path);

// The names in a folder. The folder is listed once, however many recordings there are.
class TruthFolder {
 public:
  // Throws ErrorKind::input where the folder cannot be listed.
  explicit TruthFolder(std::filesystem::path folder);

  // Returns the first that exists of NAME.atr, NAME.truth.csv and NAME.csv. `recording` is the recording itself, which
  // is not taken for its annotations if both lie in one folder.
  std::optional<std::filesystem::path> truth_of(const std::string& name,
                                                const std::filesystem::path& recording = {}) const;

  const std::filesystem::path& path() const { return folder_; }

 private:
  std::filesystem::path folder_;
  std::set<std::string> names_;
};

}  // namespace beatscan
