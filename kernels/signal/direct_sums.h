// kernels/signal/direct_sums.h — convolution by its definition, on the host.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/runtime/parallel.h"
#include "kernels/signal/convolve.h"

namespace beatscan {

// sums[i] = sum over j of taps[j] * x[i - j], i = 0 .. n - 1, in float64 and in the order of j. There must be width - 1
// samples before x[0].
void direct_sums(const float* x, const double* taps, std::int64_t width, double* sums, std::int64_t n);

// Returns sample i of the signal, which may lie beyond its ends.
float sample_at(const SignalPart& signal, std::int64_t i, Beyond beyond);

// Computes the outputs `wanted` of a convolution in tiles, see convolve.h. Calls at(i) for each sample i of a tile that
// reaches beyond the signal's ends, and take(first, sums) with the sums of outputs first, first + 1, ... on any thread.
template <class At, class Take>
void direct_tiles(const Cpu& cpu, const SignalPart& signal, std::span<const double> taps, int lead, Stretch wanted,
                  At&& at, Take&& take) {
  constexpr std::int64_t kTile = 1024;  // output samples whose sums stay in the first-level cache
  const std::int64_t width = std::ssize(taps);
  parallel_for(cpu, wanted.size(), kTile, [&](std::int64_t begin, std::int64_t end) {
    std::array<double, kTile> sums;
    std::vector<float> extended(kTile + width);
    for (; begin < end; begin += kTile) {
      const std::int64_t size = std::min(kTile, end - begin), first = wanted.first + begin;
      const std::int64_t source = first + lead - (width - 1);  // first sample that the tile needs
      const float* x = signal.values.data() + (source - signal.first);
      if (source < 0 || source + size + width - 1 > signal.size) {
        for (std::int64_t i = 0; i < size + width - 1; ++i) extended[i] = at(source + i);
        x = extended.data();
      }
      direct_sums(x + width - 1, taps.data(), width, sums.data(), size);
      take(first, std::span<const double>(sums).first(static_cast<std::size_t>(size)));
    }
  });
}

}  // namespace beatscan
