// app/evaluation/rhythm_truth.h — reference episodes: the rhythms of a recording, according to an expert.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace beatscan {

struct SignalClock;

// A stretch with a label, which is that of a rhythm change without its bracket, such as "AFIB", "VT", "SVTA" or "N".
// Ventricular flutter and fibrillation from [ to ] are "VF".
struct LabelledStretch {
  double start, end;  // samples
  std::string label;
};

// Says whether a label is that of ventricular flutter or fibrillation.
bool is_fibrillation(std::string_view label);

// Reads stretches, in time order, from one of
//   NAME.csv        header with the columns sample and label; a label holds up to the next one
//   any other name  WFDB annotation file: rhythm changes (+) and the ends of ventricular flutter ([ and ])
// The last rhythm, and flutter that does not end, hold to the end of the recording. Throws ErrorKind::input.
//   samples  length of the recording; nothing: up to the last annotation
std::vector<LabelledStretch> read_rhythms(const std::filesystem::path& path, const SignalClock& clock,
                                          std::optional<double> samples);

// Warns of each label that is none of WFDB's rhythms and none of the program's: it is compared with nothing, so that
// "AF" in place of "AFIB" would look like a recording without atrial fibrillation.
std::vector<std::string> warnings_of(const std::vector<LabelledStretch>& rhythms, const std::filesystem::path& path);

}  // namespace beatscan
