#include "stages/io/recording/missing_codes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>

#include "stages/common/number_text.h"
#include "stages/common/robust.h"

namespace beatscan {
namespace {

constexpr std::int64_t kLeastSamples = 100;
constexpr std::size_t kLeastLevels = 8;  // of the other values
constexpr std::int64_t kMostCodes = 9;   // usual codes for each other value
constexpr double kUnusualCode = 4;       // in ranges of the other values
constexpr double kBounds = 1e6, kTail = 0.01;
constexpr std::size_t kMostFarValues = 8;
constexpr std::int64_t kSpikeSamples = 2;                        // of a pacemaker's spike
constexpr double kShortestPacing_s = 0.3, kLongestPacing_s = 2;  // from one spike to the next
constexpr double kEvenPacing = 0.25;                             // of the median interval: spikes may follow the atria

// Returns whether recorders write this value in place of a missing sample.
bool is_usual_code(float value) {
  if (value == 0 || value == -1) return true;
  const double size = std::abs(double{value});
  if (size < 99 || size != std::floor(size)) return false;
  int exponent = 0;
  for (const double whole : {size, size + 1})
    if (size >= 127 && std::frexp(whole, &exponent) == 0.5) return true;
  return number_text(size, 12).find_first_not_of('9') == std::string_view::npos;
}

// What the samples are besides their smallest and their largest value.
struct Others {
  ValueRange range{std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()};
  double longest_step = 0;    // from one of them to the next sample, if that is one of them, too
  std::vector<float> levels;  // distinct values, as far as kLeastLevels
  std::int64_t count = 0;
  bool exist() const { return count > 0; }
};

template <class IsOther>
Others others_of(std::span<const float> samples, IsOther is_other) {
  Others others;
  bool before = false;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const bool is_one = is_other(samples[i]);
    if (is_one) {
      others.range = {std::min(others.range.min, samples[i]), std::max(others.range.max, samples[i])};
      ++others.count;
      if (before)
        others.longest_step = std::max(others.longest_step, std::abs(double{samples[i]} - double{samples[i - 1]}));
      if (others.levels.size() < kLeastLevels && std::ranges::find(others.levels, samples[i]) == others.levels.end())
        others.levels.push_back(samples[i]);
    }
    before = is_one;
  }
  return others;
}

double distance_of(float value, const Others& others) {
  return value < others.range.min ? double{others.range.min} - value : double{value} - others.range.max;
}

double length_of(ValueRange range) { return double{range.max} - range.min; }

bool stands_apart(float value, const Others& others) {
  const double distance = distance_of(value, others);
  return distance > 0 &&
         (distance >= length_of(others.range) || (is_usual_code(value) && distance > others.longest_step));
}

// Returns the others beyond a code that is next to another, such as -1 to 0: both are as far out as the inner one.
// Returns nothing if these are no two usual codes.
template <class IsOther>
std::optional<Others> beyond_next_code(std::span<const float> samples, float value, const Others& others,
                                       IsOther is_other) {
  const float next = value < others.range.min ? others.range.min : others.range.max;
  if (!is_usual_code(value) || !is_usual_code(next)) return std::nullopt;
  return others_of(samples, [&](float x) { return is_other(x) && x != next; });
}

// Returns whether a value is far out. Others on a few levels say nothing.
bool is_far_out(float value, const Others& others) {
  return others.levels.size() >= kLeastLevels && stands_apart(value, others);
}

bool is_code(const FarValue& far, double distance) {
  return far.count > 1 && (is_usual_code(far.value) || distance >= kUnusualCode * length_of(far.others));
}

// A run of samples with the same value: its first sample and how many they are.
struct Run {
  std::int64_t first, length;
};

std::vector<Run> runs_of(std::span<const float> samples, float value) {
  std::vector<Run> runs;
  for (std::int64_t i = 0; i < std::ssize(samples); ++i) {
    if (samples[i] != value) continue;
    if (runs.empty() || runs.back().first + runs.back().length != i) runs.push_back({i, 0});
    ++runs.back().length;
  }
  return runs;
}

// Returns whether most runs are as short as a pacemaker's spikes and follow each other as evenly.
bool is_paced(std::span<const Run> runs, double rate_hz) {
  const auto is_short = [](const Run& run) { return run.length <= kSpikeSamples; };
  if (runs.size() < 3 || 2 * std::ranges::count_if(runs, is_short) <= std::ssize(runs)) return false;
  std::vector<double> intervals;
  for (std::size_t i = 1; i < runs.size(); ++i)
    intervals.push_back(static_cast<double>(runs[i].first - runs[i - 1].first) / rate_hz);
  const double middle = quantile(intervals, 0.5);
  const auto is_even = [&](double interval) { return std::abs(interval - middle) <= kEvenPacing * middle; };
  return middle >= kShortestPacing_s && middle <= kLongestPacing_s &&
         2 * std::ranges::count_if(intervals, is_even) > std::ssize(intervals);
}

// Returns whether a value far out belongs to the signal, as one that is clipped there: beside most of its runs a sample
// lies between it and the middle 98 % of the others; or its runs are a pacemaker's spikes. `next` is the next value.
bool is_of_signal(std::span<const float> samples, const FarValue& far, float next, double rate_hz) {
  const auto runs = runs_of(samples, far.value);
  std::vector<float> others;
  std::ranges::copy_if(samples, std::back_inserter(others),
                       [&](float x) { return std::isfinite(x) && x != far.value; });
  const bool is_above = far.value > far.others.max;
  const double bound = quantile(others, is_above ? 1 - kTail : kTail);
  const auto leads_there = [&](std::int64_t at) {
    if (at < 0 || at >= std::ssize(samples) || !std::isfinite(samples[at])) return false;
    if (samples[at] == next && is_usual_code(next)) return false;  // two codes side by side
    return is_above ? samples[at] > bound : samples[at] < bound;
  };
  const auto joins = [&](const Run& run) { return leads_there(run.first - 1) || leads_there(run.first + run.length); };
  return 2 * std::ranges::count_if(runs, joins) > std::ssize(runs) || is_paced(runs, rate_hz);
}

// Returns the bounds of values that may be samples; infinite ones if these do not differ.
ValueRange bounds_of(std::span<const float> samples) {
  std::vector<float> values;
  std::ranges::copy_if(samples, std::back_inserter(values), [](float x) { return std::isfinite(x); });
  constexpr float kInfinite = std::numeric_limits<float>::infinity();
  if (std::ssize(values) < kLeastSamples) return {-kInfinite, kInfinite};
  const double low = quantile(values, kTail), high = quantile(values, 1 - kTail);
  if (!(high > low)) return {-kInfinite, kInfinite};
  return {static_cast<float>(low - kBounds * (high - low)), static_cast<float>(high + kBounds * (high - low))};
}

}  // namespace

bool may_have_far_values(std::span<const float> some, ValueRange range) {
  const ValueRange bounds = bounds_of(some);
  if (range.min < bounds.min || range.max > bounds.max) return true;
  const auto is_other = [&](float x) { return std::isfinite(x) && x != range.min && x != range.max; };
  const Others others = others_of(some, is_other);
  // Of all samples, other values may be nearer and steps longer; so what is not far out here is not far out there.
  const auto may_be_far = [](float value, const Others& rest) {
    return !rest.exist() || length_of(rest.range) == 0 || stands_apart(value, rest);
  };
  if (!(range.min < range.max)) return false;
  return std::ranges::any_of(std::array{range.min, range.max}, [&](float value) {
    if (may_be_far(value, others)) return true;
    const auto beyond = beyond_next_code(some, value, others, is_other);
    return beyond && may_be_far(value, *beyond);
  });
}

FarSamples samples_beyond_bounds(std::span<const float> samples) {
  FarSamples far{.bounds = bounds_of(samples)};
  const auto is_far = [&](float x) { return far.holds(x); };
  far.count = std::ranges::count_if(samples, is_far);
  if (far.count == 0) return far;
  const auto first = std::ranges::find_if(samples, is_far);
  far.first_value = *first;
  far.first_sample = first - samples.begin();
  return far;
}

std::vector<FarValue> far_values(std::span<const float> samples, double rate_hz) {
  std::vector<FarValue> found;
  while (found.size() < kMostFarValues) {
    const auto is_left = [&](float x) {
      return std::isfinite(x) && std::ranges::none_of(found, [x](const FarValue& far) { return far.value == x; });
    };
    const ValueRange ends = others_of(samples, is_left).range;
    const auto is_other = [&](float x) { return is_left(x) && x != ends.min && x != ends.max; };
    const Others others = others_of(samples, is_other);
    const std::size_t before = found.size();
    if (others.count < kLeastSamples) break;
    for (const bool is_low : {true, false}) {
      const float value = is_low ? ends.min : ends.max, next = is_low ? others.range.min : others.range.max;
      Others beyond = others;
      if (const auto rest = beyond_next_code(samples, value, others, is_other);
          rest && rest->count >= kLeastSamples && !is_far_out(value, others) && is_far_out(next, *rest))
        beyond = *rest;
      if (!is_far_out(value, beyond)) continue;
      FarValue far{value, std::ranges::count(samples, value), std::ranges::find(samples, value) - samples.begin(),
                   beyond.range, false};
      const std::int64_t most = is_usual_code(value) ? kMostCodes * beyond.count : beyond.count;
      far.is_code =
          far.count < most && is_code(far, distance_of(value, beyond)) && !is_of_signal(samples, far, next, rate_hz);
      found.push_back(far);
    }
    if (found.size() == before || std::ranges::none_of(std::span(found).subspan(before), &FarValue::is_code)) break;
  }
  return found;
}

}  // namespace beatscan
