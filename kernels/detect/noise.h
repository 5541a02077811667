// kernels/detect/noise.h — how noisy a lead is around each beat: by the power between the beats, and by how far the
// baseline moves. Both together make a factor, see stages/windows/noise.h.
//
//   r_peaks  [K] samples, ascending
// A wrong shape or option throws ErrorKind::internal.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"

namespace beatscan {

// local[i] = mean power of the samples of all pauses whose middle is within `reach` samples of R peak i; NaN if there
// are none.
//   powers, lengths  [K - 1] of pause_powers (pause_powers.h)
//   reach            0 or more
//   local            [K]
void local_powers(Cpu&, std::span<const double> r_peaks, std::span<const double> powers,
                  std::span<const std::int32_t> lengths, double reach, std::span<double> local);
void local_powers(Cuda&, std::span<const double> r_peaks, std::span<const double> powers,
                  std::span<const std::int32_t> lengths, double reach, std::span<double> local);

// ranges[i] = the range of `count` means of the signal around R peak i. Mean k is that of the block that holds
// r_peaks[i] + first + k step, and of the blocks on either side that lie within `half` samples of that block's centre.
// Beyond the ends of the signal the end blocks are repeated.
//   block_means  [ceil(N / width)] means of blocks of `width` samples (centred_rows.h), at least one
//   ranges       [K]
struct BaselinePlaces {
  double first, step;  // samples
  int count;           // 1 or more
  double half;         // samples
};
void baseline_ranges(Cpu&, std::span<const float> block_means, std::int64_t width, std::span<const double> r_peaks,
                     const BaselinePlaces& places, std::span<double> ranges);
void baseline_ranges(Cuda&, std::span<const float> block_means, std::int64_t width, std::span<const double> r_peaks,
                     const BaselinePlaces& places, std::span<double> ranges);

// factors[i] = min(sqrt(excess(powers[i] / usual_power) excess(ranges[i] / usual_range)), most)
// excess(x) is x where x > 1, and 1 where x is less or no number. The typical values are positive.
struct UsualNoise {
  double power, range;
};
void noise_factors(Cpu&, std::span<const double> powers, std::span<const double> ranges, UsualNoise usual, float most,
                   std::span<float> factors);
void noise_factors(Cuda&, std::span<const double> powers, std::span<const double> ranges, UsualNoise usual, float most,
                   std::span<float> factors);

}  // namespace beatscan
