// app/evaluation/rhythm_truth.h — reference episodes: the rhythms of a recording, as annotated by an expert.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace beatscan {

struct SignalClock;

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
