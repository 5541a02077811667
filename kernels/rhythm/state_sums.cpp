#include "kernels/rhythm/rhythm.h"

#include <algorithm>
#include <cstdint>

#include "kernels/runtime/error.h"
#include "kernels/runtime/vectors.h"

namespace beatscan {
namespace {

// Computes the sums of Beats neighbouring beats.
template <int W, int Beats>
BEATSCAN_INLINE void sum_beats(const float* inputs, std::int64_t stride, const float* weight, std::int64_t features,
                               const float* intercept, float* sums) {
  constexpr int kVectors = kMostStates / W;
  Floats<W> of[Beats][kVectors];
  for (int beat = 0; beat < Beats; ++beat)
    for (int v = 0; v < kVectors; ++v) of[beat][v] = load<W>(intercept + v * W);
  for (std::int64_t f = 0; f < features; ++f)
    for (int v = 0; v < kVectors; ++v) {
      const Floats<W> weights = load<W>(weight + f * kMostStates + v * W);
      for (int beat = 0; beat < Beats; ++beat) of[beat][v] += weights * inputs[f * stride + beat];
    }
  for (int beat = 0; beat < Beats; ++beat)
    for (int v = 0; v < kVectors; ++v) store<W>(sums + beat * kMostStates + v * W, of[beat][v]);
}

struct SumStates {
  template <int W>
  BEATSCAN_INLINE static void run(const float* inputs, std::int64_t beats, const float* weight, std::int64_t features,
                                  const float* intercept, float* sums) {
    constexpr int kBeats = W >= 8 ? 8 : 2;  // that are computed side by side
    std::int64_t i = 0;
    for (; i + kBeats <= beats; i += kBeats)
      sum_beats<W, kBeats>(inputs + i, beats, weight, features, intercept, sums + i * kMostStates);
    for (; i < beats; ++i) sum_beats<W, 1>(inputs + i, beats, weight, features, intercept, sums + i * kMostStates);
  }
};

}  // namespace

void state_sums(std::span<const float> inputs, std::span<const StateValues> weight, const StateValues& intercept,
                std::span<StateValues> sums) {
  BEATSCAN_EXPECTS(inputs.size() == weight.size() * sums.size(), "state_sums: bad shape");
  if (weight.empty() || sums.empty()) {
    std::ranges::fill(sums, intercept);
    return;
  }
  OnProcessor<SumStates>::run(inputs.data(), static_cast<std::int64_t>(sums.size()), weight.front().data(),
                              static_cast<std::int64_t>(weight.size()), intercept.data(), sums.front().data());
}

}  // namespace beatscan
