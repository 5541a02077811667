// app/evaluation/annotations.h — reads annotations of WFDB and EDF+: beats, rhythm changes, waves and notes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace beatscan {

// The clock by which the samples of a signal are counted.
struct SignalClock {
  std::optional<double> sample_rate_hz;
  std::int64_t samples_per_frame = 1;  // more than 1 in some WFDB records
};

struct Annotation {
  std::int64_t sample;  // counts from 0 in the recording
  char symbol;          // WFDB symbol; a blank for codes that are not used here
  std::string note;     // auxiliary text, such as "(AFIB"
  int subtype = 0;      // -128 to 127
};

// Reads all annotations with a time, in file order. Times are converted to samples of the signal. The file's clock is
// that of its first note "## time resolution: HZ" if it has one, and otherwise the frames of its record. Throws
// ErrorKind::input if the file is damaged.
std::vector<Annotation> read_annotations(const std::filesystem::path& path, const SignalClock& clock);

// Returns the clock in such a note; nullopt if it has none.
std::optional<double> clock_of_annotations(const std::filesystem::path& path);

// A segment with its label: the text of a rhythm change without its bracket, such as "AFIB", "VT", "SVTA" or "N".
// Ventricular flutter and fibrillation from [ to ] are "VF".
struct LabelledStretch {
  double start, end;  // samples
  std::string label;
};

// Returns whether a label is that of ventricular flutter or fibrillation.
bool is_fibrillation(std::string_view label);

// Reads segments, in time order, from one of
//   NAME.csv        header with the columns sample and label; a label holds up to the next one
//   any other name  WFDB annotation file: rhythm changes (+), and start and end of ventricular flutter ([ and ])
// The last rhythm, and flutter that does not end, last to the end of the recording. Throws ErrorKind::input.
//   samples  length of the recording; nullopt: up to the last annotation
std::vector<LabelledStretch> read_rhythms(const std::filesystem::path& path, const SignalClock& clock,
                                          std::optional<double> samples);

// Warns of each label that neither WFDB nor the program has. It is not compared: "AF" instead of "AFIB" would look like
// a recording without atrial fibrillation.
std::vector<std::string> warnings_of(const std::vector<LabelledStretch>& rhythms, const std::filesystem::path& path);

}  // namespace beatscan
