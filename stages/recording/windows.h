// stages/recording/windows.h — short pieces of a signal, copied to the host in one go.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/lists/gather.h"
#include "kernels/runtime/buffer.h"

namespace beatscan {

// Pieces of equal length of one signal.
struct Windows {
  std::vector<float> values;  // one piece after the other
  std::int64_t length = 0;    // of each
  std::span<const float> at(std::int64_t i) const { return std::span(values).subspan(i * length, length); }
};

// Copies pieces of a signal that has one sample at least. Beyond its ends the signal keeps its end values.
//   starts  first sample of each piece; it may be negative
template <class Context>
Windows windows_of(Context& context, std::span<const float> samples, const std::vector<std::int64_t>& starts,
                   std::int64_t length) {
  std::vector<std::int64_t> places;
  places.reserve(starts.size() * static_cast<std::size_t>(length));
  for (const std::int64_t start : starts)
    for (std::int64_t j = 0; j < length; ++j)
      places.push_back(std::clamp<std::int64_t>(start + j, 0, std::ssize(samples) - 1));
  Buffer<float, Context> chosen(context, std::ssize(places));
  gather<float>(context, samples, from_host(context, places), chosen);
  return {to_host(context, chosen), length};
}

// Copies pieces from `before` samples before the R peaks of some beats to `after` samples after them.
template <class Context>
Windows windows_around(Context& context, std::span<const float> samples, std::span<const double> r_peaks,
                       std::span<const std::int64_t> beats, std::int64_t before, std::int64_t after) {
  std::vector<std::int64_t> starts;
  for (const std::int64_t i : beats) starts.push_back(std::llround(r_peaks[i]) - before);
  return windows_of(context, samples, starts, before + after + 1);
}

}  // namespace beatscan
