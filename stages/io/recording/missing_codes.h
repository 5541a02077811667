// stages/io/recording/missing_codes.h — finds values that stand for missing samples: codes such as 0 or -32768 that a
// recorder writes where it lost samples.
//
// An extreme value is far out if it is at least as far from the nearest other value as all others are from each other;
// or if it is a usual code and that distance is longer than any step between two other samples. The smallest and the
// largest value are examined, and those next to them once they are found to be codes. Of two usual codes next to each
// other, such as -1 and 0, both are as far out as the inner one.
//   code     a usual code that is far out and occurs twice or more; any other value that does, from four times the
//            range of the others on. The signal is unrelated to where a code stands: a value is none if most of its
//            runs join samples that lead there, as where an amplifier clips, or are one or two samples at the even
//            intervals of a pacemaker's spikes. The next code beside it leads nowhere. A usual code may make up nine
//            tenths of the samples, another value half of them
//   far out  any other value that is far out: it is named in a warning, and stays
// Samples beyond all bounds are missing, too, whatever their values: those that are a million times as far from the
// middle 98 % of the samples as these are from each other. An infinite value is no missing one: it is an error, which
// the stages behind report.
//
// Usual codes are 0, -1, those of full words (2^k and 2^k - 1 with either sign, from 127 on), and nines only (-9999).
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/signal/signal_part.h"

namespace beatscan {

// Which values stand for missing samples.
struct MissingCode {
  bool is_found = true;             // values are examined; or else none stands for a missing sample
  std::optional<float> value = {};  // the one that the user gives; then no other is looked for
  friend bool operator==(const MissingCode&, const MissingCode&) = default;
};

struct FarValue {
  float value;
  std::int64_t count, first_sample;
  ValueRange others;  // of all other samples
  bool is_code;
};

// Returns whether any sample may be far out. It examines a few samples only, and never misses a value that is far out.
//   some   samples from all over the recording; NaN is missing
//   range  of all samples
bool may_have_far_values(std::span<const float> some, ValueRange range);

// The samples beyond all bounds. There are none if the middle 98 % are equal.
struct FarSamples {
  ValueRange bounds{};
  float first_value = 0;
  std::int64_t count = 0, first_sample = 0;
  bool holds(float x) const { return std::isfinite(x) && (x < bounds.min || x > bounds.max); }
};
FarSamples samples_beyond_bounds(std::span<const float> samples);

// Returns the values that are far out, in the order in which they are found.
//   samples  [N] NaN is missing; fewer than 100 with a value have none
//   rate_hz  of them, for the intervals between spikes
std::vector<FarValue> far_values(std::span<const float> samples, double rate_hz);

}  // namespace beatscan
