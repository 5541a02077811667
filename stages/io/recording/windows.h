// stages/io/recording/windows.h — short pieces of a signal, copied to the host in one go.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/runtime/buffer.h"
#include "kernels/signal/parts.h"

namespace beatscan {

// Pieces of equal length of one signal.
struct Windows {
  std::vector<float> values;  // one piece after the other
  std::int64_t length = 0;    // of each
  std::span<const float> at(std::int64_t i) const { return std::span(values).subspan(i * length, length); }
};

// Returns how many pieces of this length are copied at a time, so that they take 4 MB at most.
inline std::int64_t windows_at_a_time(std::int64_t length) {
  return std::max<std::int64_t>((std::int64_t{1} << 20) / length, 1);
}

// Copies pieces of a signal. Beyond its ends the signal keeps its end values.
//   starts  first sample of each piece, which has one sample of the signal at least
template <class Context>
Windows windows_of(Context& context, std::span<const float> samples, const std::vector<std::int64_t>& starts,
                   std::int64_t length) {
  Buffer<float, Context> cut(context, std::ssize(starts) * length);
  cut_strips(context, samples, from_host(context, starts), cut);
  Windows windows{to_host(context, cut), length};
  for (std::size_t k = 0; k < starts.size(); ++k) {
    const auto piece = std::span(windows.values).subspan(k * length, length);
    const auto first = std::clamp<std::int64_t>(-starts[k], 0, length - 1),
               last = std::clamp<std::int64_t>(std::ssize(samples) - 1 - starts[k], 0, length - 1);
    std::fill(piece.begin(), piece.begin() + first, piece[first]);
    std::fill(piece.begin() + last + 1, piece.end(), piece[last]);
  }
  return windows;
}

}  // namespace beatscan
