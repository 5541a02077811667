// kernels/rhythm/alike_intervals.h — counts how often a pair of RR intervals that follow each other comes again nearby,
// and takes running medians. Both back ends give the same bytes: counts are integers, and medians order statistics.
// A wrong shape throws ErrorKind::internal.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"

namespace beatscan {

// Two intervals a, b are alike if a < b factor and b < a factor. A pair (x[i], x[i + 1]) is compared with the pairs
// that begin at up to `partners` intervals before and after it; x[M - 1] begins no pair.
//   before, behind  number of alike pairs on either side
//   alike[i] / compared[i] = max(before, behind) / partners   where there are `partners` pairs on both sides
//                            (before + behind) / all pairs compared   elsewhere; 0 / 0 where there are none
// The larger side counts, because at an edge of a rhythm only one side belongs to it.
//   x                [M] positive
//   factor           above 1
//   partners         above 0
//   alike, compared  [M]
void alike_pairs(Cpu&, std::span<const double> x, double factor, int partners, std::span<std::int32_t> alike,
                 std::span<std::int32_t> compared);
void alike_pairs(Cuda&, std::span<const double> x, double factor, int partners, std::span<std::int32_t> alike,
                 std::span<std::int32_t> compared);

inline constexpr int kMostMedianReach = 16;

// medians[i] = median of x[i - reach] .. x[i + reach]; the first and the last value are repeated beyond the ends.
//   x, medians  [M]
//   reach       0 .. kMostMedianReach
void running_medians(Cpu&, std::span<const double> x, int reach, std::span<double> medians);
void running_medians(Cuda&, std::span<const double> x, int reach, std::span<double> medians);

}  // namespace beatscan
