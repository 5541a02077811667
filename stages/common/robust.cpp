#include "stages/common/robust.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <memory>
#include <utility>

#include "kernels/runtime/error.h"

namespace beatscan {

namespace {

constexpr std::size_t kSampleValues = 1024, kBesidePlace = 64;  // four standard deviations of a place in the sample
constexpr std::size_t kManyValues = 16 * kSampleValues;

// Returns the values at a place and at the next one when the values are sorted; at the last place it returns that value
// twice. Reorders the values.
template <class T>
std::pair<T, T> two_of_few(std::span<T> values, std::size_t place) {
  const auto nth = values.begin() + static_cast<std::ptrdiff_t>(place);
  std::nth_element(values.begin(), nth, values.end());
  return {*nth, nth + 1 == values.end() ? *nth : *std::min_element(nth + 1, values.end())};
}

// Returns two values of a sample between which the one at a place lies, most likely together with the next one.
template <class T>
std::pair<T, T> bounds_of(std::span<const T> values, std::size_t place) {
  std::array<T, kSampleValues> sample;
  for (std::size_t i = 0; i < kSampleValues; ++i) sample[i] = values[i * values.size() / kSampleValues];
  std::ranges::sort(sample);
  const std::size_t middle = place * kSampleValues / values.size();
  return {sample[middle - std::min(middle, kBesidePlace)], sample[std::min(middle + kBesidePlace, kSampleValues - 1)]};
}

// Does the same as two_of_few, and leaves the values as they are. Of many values it sorts those between two bounds,
// which it picks without a branch.
template <class T>
std::pair<T, T> two_at(std::span<const T> values, std::size_t place) {
  BEATSCAN_EXPECTS(place < values.size(), "two_at: no such place");
  const auto picked = std::make_unique_for_overwrite<T[]>(values.size());
  if (values.size() >= kManyValues) {
    const auto [low, high] = bounds_of(values, place);
    std::size_t below = 0, count = 0;
    for (const T value : values) {
      picked[count] = value;  // the next one takes its place unless it lies between the bounds
      count += (low <= value) & (value <= high);
      below += value < low;
    }
    if (below <= place && place + 1 < below + count) return two_of_few(std::span(picked.get(), count), place - below);
  }
  std::ranges::copy(values, picked.get());
  return two_of_few(std::span(picked.get(), values.size()), place);
}

// two(place) returns the values at a place and at the next one when the values are sorted.
template <class T, class Two>
double interpolated(std::span<const T> values, double q, const Two& two) {
  BEATSCAN_EXPECTS(!values.empty(), "quantile: no values");
  const double position = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::pair<double, double> its = two(below);
  if (below + 1 == values.size()) return its.first;
  return its.first + (position - static_cast<double>(below)) * (its.second - its.first);
}

template <class T>
double selected(std::span<const T> values, double q) {
  return interpolated(values, q, [&](std::size_t place) { return two_at(values, place); });
}

}  // namespace

template <class T>
T nth_value(std::span<const T> values, std::size_t place) {
  return two_at(values, place).first;
}
template float nth_value(std::span<const float>, std::size_t);
template double nth_value(std::span<const double>, std::size_t);

double quantile(std::span<const float> values, double q) { return selected(values, q); }
double quantile(std::span<const double> values, double q) { return selected(values, q); }

double quantile_of_sorted(std::span<const double> values, double q) {
  return interpolated(values, q, [&](std::size_t place) {
    return std::pair(values[place], values[std::min(place + 1, values.size() - 1)]);
  });
}

RobustScale robust_scale(std::vector<double> values, double floor) {
  if (values.empty()) return {};
  const double median = quantile(values, 0.5);
  for (double& value : values) value = std::abs(value - median);
  return {median, std::max(1.4826 * quantile(values, 0.5), floor)};
}

RobustScale blended_scale(std::vector<double> values, double typical) {
  if (values.empty()) return {0, typical};
  const RobustScale own = robust_scale(std::move(values), 0);
  return {own.median, 0.5 * own.scale + 0.5 * typical};
}

std::vector<double> finite_of(const std::vector<double>& values) {
  std::vector<double> finite;
  finite.reserve(values.size());
  std::ranges::copy_if(values, std::back_inserter(finite), [](double value) { return std::isfinite(value); });
  return finite;
}

std::vector<std::int64_t> sample_places(const std::vector<std::uint8_t>& flags, std::size_t most) {
  const auto count = static_cast<std::size_t>(std::ranges::count(flags, 1));
  most = std::min(count, most);
  std::vector<std::int64_t> places;
  places.reserve(most);
  std::size_t flagged = 0, next = 0;  // flags seen so far, and the number of the flag that is chosen next
  for (std::size_t i = 0; places.size() < most; ++i) {
    if (!flags[i] || flagged++ != next) continue;
    places.push_back(static_cast<std::int64_t>(i));
    next = places.size() * count / most;
  }
  return places;
}

}  // namespace beatscan
