// kernels/detect/noise.h — noise of the envelope at candidates, and their signal-to-noise ratio.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/detect/silence.h"
#include "kernels/runtime/context.h"
#include "kernels/runtime/portable.h"

namespace beatscan {

// How noisy a lead is around each beat: by the power between the beats, and by how far the baseline moves. Both
// together make a factor, see stages/windows/centred_beats.h.
//
//   r_peaks  [K] samples, ascending
// A wrong shape or option throws ErrorKind::internal.

// local[i] = mean power of the samples of all pauses whose middle is within `reach` samples of R peak i; NaN if there
// are none.
//   powers, lengths  [K - 1] of pause_powers (local_band.h)
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

// The signal-to-noise ratio of beats in the envelope, block by block.
//
// Between clear beats the envelope falls to a noise floor; in noise it never does. So a block's signal-to-noise ratio
// is the local level divided by the local noise floor: by the value that a quarter, or half, of the envelope lies
// below.
//   N samples, B blocks of the level (level_blocks in detect.h)
// A wrong shape or reach throws ErrorKind::internal.

inline constexpr int kRestSamples = 64;  // samples of a block that its noise floor is taken from, evenly spread

inline constexpr int kFewestRestSamples = 16;  // with fewer samples a block has no noise floor

// Two order statistics of a block: the 17th and the 33rd of its kRestSamples samples in ascending order. Samples
// without signal do not count. If only m samples are left, the two are the (m / 4 + 1)th and the (m / 2 + 1)th of
// these; both are 0 if m is less than kFewestRestSamples.
struct BlockRest {
  float quarter, half;
};
//   x      [N]
//   first  sample of the recording that x begins with
//   off    stretches without signal, in samples of the recording
//   rest   [B]
struct RestInput {
  std::span<const float> x;
  std::int64_t first = 0;
  Gaps off = {};
};
void block_rest(Cpu&, const RestInput& input, int block, std::span<BlockRest> rest);
void block_rest(Cuda&, const RestInput& input, int block, std::span<BlockRest> rest);

// The level divided by the medians of `quarter` and of `half` over the blocks within reach, those of 0 excluded.
struct Snr {
  float over_quarter, over_half;
};
//   levels   [B] positive
//   rest     [B]
//   reach    blocks on either side, at most kMaxReach
//   snr      [B] finite
void block_snr(Cpu&, std::span<const float> levels, std::span<const BlockRest> rest, int reach, std::span<Snr> snr);
void block_snr(Cuda&, std::span<const float> levels, std::span<const BlockRest> rest, int reach, std::span<Snr> snr);

// The signal-to-noise ratios (over_quarter) at which noise begins and is full.
struct NoiseRange {
  double begins, full;  // begins > full > 0
};
// shares[b] = 0 where over_quarter >= begins, 1 where it is <= full, and between them linear in its logarithm.
//   snr, shares  [B]
void noise_shares(Cpu&, std::span<const Snr> snr, const NoiseRange& range, std::span<float> shares);
void noise_shares(Cuda&, std::span<const Snr> snr, const NoiseRange& range, std::span<float> shares);

// Computes how much of a second, sharper band is to be blended into the envelope of each block:
//   noise * clip(sharp - 2, 0, 1) * clip((1.3 - sharp / usual) / 0.2, 0, 1), and 0 where sharp >= 15
// `sharp` and `usual` are over_half of the two bands. The second factor is 0 if the second band shows no beats. The
// third is 0 if beats are much clearer there than in the first band, as pacing spikes are.
//   usual, sharp, noise, shares  [B]
void blend_shares(Cpu&, std::span<const Snr> usual, std::span<const Snr> sharp, std::span<const float> noise,
                  std::span<float> shares);
void blend_shares(Cuda&, std::span<const Snr> usual, std::span<const Snr> sharp, std::span<const float> noise,
                  std::span<float> shares);

// An envelope with its local levels.
struct BandLevels {
  std::span<const float> levels;  // [B]
  int block;                      // samples of a block
};
// Blends a second band into the first: x = level (x / level)^(1 - share) (sharp / sharp's level)^share. Where the share
// of the block is 0, x stays as it is.
//   x       part of the first envelope, changed in place
//   first   its first sample in the recording
//   sharp   the same part of the second envelope
//   shares  [B]
void blend_bands(Cpu&, std::span<float> x, std::int64_t first, std::span<const float> sharp, const BandLevels& levels,
                 const BandLevels& sharp_levels, std::span<const float> shares);
void blend_bands(Cuda&, std::span<float> x, std::int64_t first, std::span<const float> sharp, const BandLevels& levels,
                 const BandLevels& sharp_levels, std::span<const float> shares);

}  // namespace beatscan
