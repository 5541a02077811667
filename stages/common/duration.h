// stages/common/duration.h — a length of time, in seconds or in samples as its author wrote it.
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

// In samples, not rounded. Without a rate only a Duration in samples has an answer.
inline double in_samples(Duration duration, std::optional<double> sample_rate_hz) {
  if (duration.in_samples) return duration.value;
  if (!sample_rate_hz)
    throw Error(ErrorKind::usage,
                "sampling rate unknown: give --rate HZ (or ingest.sample_rate_hz in the configuration)");
  return duration.value * *sample_rate_hz;
}

inline std::int64_t whole_samples(Duration duration, std::optional<double> sample_rate_hz) {
  return std::llround(in_samples(duration, sample_rate_hz));
}

}  // namespace beatscan
