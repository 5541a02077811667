// stages/common/duration.h — a length of time in seconds or in samples, whichever the user wrote.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

#include "kernels/runtime/error.h"

namespace beatscan {

struct Duration {
  double value = 0;
  bool in_samples = false;

  bool operator==(const Duration&) const = default;
};

constexpr Duration seconds(double value) { return {value, false}; }
constexpr Duration samples(double value) { return {value, true}; }

// Returns the length in samples, not rounded. Throws ErrorKind::usage for seconds without a sampling rate.
inline double in_samples(Duration duration, std::optional<double> sample_rate_hz) {
  if (duration.in_samples) return duration.value;
  if (!sample_rate_hz)
    throw Error(ErrorKind::usage,
                "sampling rate unknown: give --rate HZ (or ingest.sample_rate_hz in the configuration)");
  return duration.value * *sample_rate_hz;
}

// Returns the length in samples, rounded to the nearest. Throws as in_samples does.
inline std::int64_t whole_samples(Duration duration, std::optional<double> sample_rate_hz) {
  return std::llround(in_samples(duration, sample_rate_hz));
}

}  // namespace beatscan
