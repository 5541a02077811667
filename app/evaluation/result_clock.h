// app/evaluation/result_clock.h — what a comparison needs to know of a result's recording.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "app/evaluation/annotations.h"

namespace beatscan {

// The sampling rate and the length of a result's recording, and the clock of its annotations.
struct ResultClock {
  double rate_hz;
  SignalClock of_recording;
  std::optional<double> samples = {};      // length of the recording
  std::optional<std::int64_t> beats = {};  // beats that were found
};

// Reads them from summary.json. A rate given by the user takes precedence. Throws ErrorKind::input if the folder is no
// result, and ErrorKind::usage without a valid rate.
ResultClock clock_of_result(const std::filesystem::path& folder, std::optional<double> given);

// Throws ErrorKind::usage for a tolerance out of range.
void check_tolerance(double tolerance_ms);

}  // namespace beatscan
