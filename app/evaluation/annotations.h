// app/evaluation/annotations.h — reads WFDB annotation files in MIT format: beats, rhythm changes, waves and notes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
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
};

// Reads all annotations with a time, in file order. Times are converted to samples of the signal. The file's clock is
// that of its first note "## time resolution: HZ" if it has one, and otherwise the frames of its record. Throws
// ErrorKind::input if the file is damaged.
std::vector<Annotation> read_annotations(const std::filesystem::path& path, const SignalClock& clock);

// Returns the clock in such a note; nullopt if it has none.
std::optional<double> clock_of_annotations(const std::filesystem::path& path);

}  // namespace beatscan
