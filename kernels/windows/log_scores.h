// kernels/windows/log_scores.h — turns distances into scores, by logarithms and standardised sums. A wrong shape or
// option throws ErrorKind::internal.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"

namespace beatscan {

// values[i] = log(values[i] + least), in place; values[i] >= 0, least > 0. The result is always finite, because a value
// that is not counts as 3e38.
void take_logs(Cpu&, float least, std::span<float> values);
void take_logs(Cuda&, float least, std::span<float> values);

struct StandardTerm {
  std::span<const float> values;
  float middle, weight;
};
inline constexpr std::size_t kMostTerms = 3;
// sums[i] = sum over 1 to kMostTerms terms, in their order, of weight (values[i] - middle)
void weighted_sum(Cpu&, std::span<const StandardTerm> terms, std::span<float> sums);
void weighted_sum(Cuda&, std::span<const StandardTerm> terms, std::span<float> sums);

// sums[i] = a[i] + b[i]
void add(Cpu&, std::span<const float> a, std::span<const float> b, std::span<float> sums);
void add(Cuda&, std::span<const float> a, std::span<const float> b, std::span<float> sums);

// scores[i] = rhythm[i] + waveform[i] where waveform[i] > 0, and rhythm[i] + below waveform[i] elsewhere
void score_sums(Cpu&, std::span<const float> waveform, std::span<const float> rhythm, float below,
                std::span<float> scores);
void score_sums(Cuda&, std::span<const float> waveform, std::span<const float> rhythm, float below,
                std::span<float> scores);

}  // namespace beatscan
