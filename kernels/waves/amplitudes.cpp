#include "kernels/waves/amplitudes.h"

#include <cmath>
#include <numbers>

#include "kernels/runtime/buffer.h"
#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/rounded.h"
#include "kernels/waves/beat_waves.h"

namespace beatscan::waves {

namespace {

constexpr int kRunBlocks = 32;  // blocks that one thread smooths, one after the other

// Item j is a block: the sum of its samples, and how many there are. Four sums side by side keep a processor busy.
struct AddUpBlock {
  const float* samples;
  std::int64_t count, block;
  LeadGaps gaps;
  double* sums;
  std::int32_t* counts;

  BEATSCAN_HOST_DEVICE void operator()(std::int64_t j) const {
    const std::int64_t first = j * block, end = first + block < count ? first + block : count;
    double part[4] = {};
    std::int64_t present = end - first, i = first;
    if (gaps.any(first, end - 1)) {
      present = 0;
      for (std::int64_t gap = gaps.reaching(first); i < end; ++i) {
        if (gaps.missing(i, gap)) continue;
        part[0] += samples[i];
        ++present;
      }
    }
    for (; i + 4 <= end; i += 4)
      for (int k = 0; k < 4; ++k) part[k] += samples[i + k];
    for (; i < end; ++i) part[0] += samples[i];
    sums[j] = (part[0] + part[1]) + (part[2] + part[3]);
    counts[j] = static_cast<std::int32_t>(present);
  }
};

// The part of a weighted sum that lies before a block or after it, with the factors of one step and of the whole
// reach.
struct Decay {
  double step, whole;  // a and a^46

  // Moves sum_d a^d u[i - d] on to the next block.
  BEATSCAN_HOST_DEVICE double forward(double sum, double entering, double leaving) const {
    return plus_product(plus_product(entering, step, sum), -(step * whole), leaving);
  }
  // Moves sum_d a^d u[i + d] on to the next block.
  BEATSCAN_HOST_DEVICE double backward(double sum, double leaving, double entering) const {
    return plus_product((sum - leaving) / step, whole, entering);
  }
};

// Item c is a run of blocks. The exponential weights let a block's sums follow from those of the block before: errors
// grow by 1 / a <= 1.12 a step, to 40 roundings of the first one at the end of a run.
struct SmoothRun {
  const double* sums;
  const std::int32_t* counts;
  std::int64_t blocks;
  Decay decay;
  double* levels;

  BEATSCAN_HOST_DEVICE double sum_at(std::int64_t j) const { return 0 <= j && j < blocks ? sums[j] : 0; }
  BEATSCAN_HOST_DEVICE std::int32_t count_at(std::int64_t j) const { return 0 <= j && j < blocks ? counts[j] : 0; }
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t c) const {
    const std::int64_t first = c * kRunBlocks;
    double before = 0, behind = 0, count_before = 0, count_behind = 0;
    std::int64_t present = count_at(first);  // samples within reach, counted exactly
    for (int d = kBaselineReach; d >= 0; --d) {
      before = plus_product(sum_at(first - d), decay.step, before);
      behind = plus_product(sum_at(first + d), decay.step, behind);
      count_before = plus_product(count_at(first - d), decay.step, count_before);
      count_behind = plus_product(count_at(first + d), decay.step, count_behind);
      if (d > 0) present += count_at(first - d) + count_at(first + d);
    }
    for (std::int64_t i = first;; ++i) {
      const double weight = count_before + count_behind - counts[i];
      levels[i] = present > 0 ? (before + behind - sums[i]) / weight : 0;
      if (i + 1 == first + kRunBlocks || i + 1 == blocks) return;
      const std::int64_t left = i - kBaselineReach, right = i + 1 + kBaselineReach;
      before = decay.forward(before, sums[i + 1], sum_at(left));
      behind = decay.backward(behind, sums[i], sum_at(right));
      count_before = decay.forward(count_before, counts[i + 1], count_at(left));
      count_behind = decay.backward(count_behind, counts[i], count_at(right));
      present += count_at(right) - count_at(left);
    }
  }
};

}  // namespace

#ifndef __CUDACC__
std::int64_t baseline_block(double rate_hz) {
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::floor(kBlockS * rate_hz + 0.5)));
}

std::int64_t baseline_blocks(std::int64_t n, double rate_hz) {
  const std::int64_t block = baseline_block(rate_hz);
  return (n + block - 1) / block;
}

void check_lead(const LeadSignal& lead) {
  BEATSCAN_EXPECTS(!lead.samples.empty() && lead.gap_firsts.size() == lead.gap_lasts.size(), "lead: bad shape");
  BEATSCAN_EXPECTS(lead.rate_hz >= kLeastRateHz && lead.rate_hz <= kMostRateHz, "lead: rate out of range");
}
#endif

void baseline(BackEnd& context, const LeadSignal& lead, std::span<double> levels) {
  check_lead(lead);
  const auto count = static_cast<std::int64_t>(lead.samples.size());
  const std::int64_t block = baseline_block(lead.rate_hz), blocks = baseline_blocks(count, lead.rate_hz);
  BEATSCAN_EXPECTS(static_cast<std::int64_t>(levels.size()) == blocks, "baseline: bad shape");
  Buffer<double, BackEnd> sums(context, blocks);
  Buffer<std::int32_t, BackEnd> counts(context, blocks);
  each(context, blocks, AddUpBlock{lead.samples.data(), count, block, gaps_of(lead), sums.data(), counts.data()});
  const double step = std::exp(-2 * std::numbers::pi * kBaselineHz * static_cast<double>(block) / lead.rate_hz);
  each(context, (blocks + kRunBlocks - 1) / kRunBlocks,
       SmoothRun{sums.data(), counts.data(), blocks, {step, std::pow(step, kBaselineReach)}, levels.data()},
       kBeatGrain);
}

namespace {

BEATSCAN_HOST_DEVICE float no_amplitude() { return nanf(""); }

// Returns the window's value at a place in values from R, or NaN outside of the window.
BEATSCAN_HOST_DEVICE float value_at(const float* window, float place) {
  const float k = static_cast<float>(kRValue) + place;
  if (!(k >= 0 && k < static_cast<float>(kValues - 1))) return no_amplitude();
  const int whole = static_cast<int>(k);
  return interpolate(window[whole], window[whole + 1], k - static_cast<float>(whole));
}

BEATSCAN_HOST_DEVICE bool shows_qrs(const float* own, std::int64_t b) {
  return !std::isnan(own[b * kFiducials + kQrsOnset]);
}

// Returns the isoelectric line before a QRS complex.
BEATSCAN_HOST_DEVICE float isoelectric(const float* window, float qrs_onset) {
  if (std::isnan(qrs_onset)) return no_amplitude();
  const int onset = kRValue + static_cast<int>(floorf(qrs_onset));
  if (onset < 5 || onset > kValues) return no_amplitude();
  const float sum = ((window[onset - 5] + window[onset - 4]) + window[onset - 3]) + window[onset - 2];
  return 0.25f * sum;
}

// Finds the value of a T wave that is farthest from the level.
BEATSCAN_HOST_DEVICE void find_t_extreme(const float* window, const float* at, float level, float* found) {
  const int low = kRValue + static_cast<int>(ceilf(at[kTOnset]));
  const int high = kRValue + static_cast<int>(floorf(at[kTOffset]));
  found[kTAmplitude] = found[kTPlace] = no_amplitude();
  for (int k = low < 0 ? 0 : low; k <= high && k < kValues; ++k) {
    const float apart = window[k] - level;
    if (fabsf(apart) <= fabsf(found[kTAmplitude])) continue;
    found[kTAmplitude] = apart;
    found[kTPlace] = static_cast<float>(k - kRValue);
  }
}

// Item b is a beat.
struct MeasureAmplitudes {
  const float* windows;
  const double* after;
  const float* own;
  const float* fused;
  float st_values;
  float* amplitudes;

  BEATSCAN_HOST_DEVICE void operator()(std::int64_t b) const {
    const float* window = windows + b * kValues;
    const float* at = fused + b * kFiducials;
    float* found = amplitudes + b * kAmplitudes;
    const float level = shows_qrs(own, b) ? isoelectric(window, at[kQrsOnset]) : no_amplitude();
    const float st = at[kQrsOffset] + st_values;
    // Behind a T wave, and in the 160 ms before the next R, there is no ST segment.
    const bool has_st = !(st > at[kTOffset]) && st < static_cast<float>(after[b]) - 40;
    found[kPAmplitude] = value_at(window, at[kPPeak]) - level;
    found[kStLevel] = has_st ? value_at(window, st) - level : no_amplitude();
    if (!std::isnan(level) && !std::isnan(at[kTOnset]))
      find_t_extreme(window, at, level, found);
    else
      found[kTAmplitude] = found[kTPlace] = no_amplitude();
  }
};

constexpr int kBehindR = 80;  // values to the TQ interval if there is no T wave

// Item b is a beat.
struct MeasureTq {
  const float* windows;
  const double* before;
  const float* own;
  const float* fused;
  float* activity;

  BEATSCAN_HOST_DEVICE int low_of(std::int64_t beat) const {
    const float t_offset = beat > 0 ? fused[(beat - 1) * kFiducials + kTOffset] : NAN;
    const double behind = std::isnan(t_offset) ? kBehindR : t_offset;
    return static_cast<int>(fmin(fmax(0.0, floor(behind + kRValue - before[beat]) + 1), double{kValues}));
  }
  BEATSCAN_HOST_DEVICE int high_of(std::int64_t beat) const {
    const float* at = fused + beat * kFiducials;
    if (!std::isnan(at[kPOnset])) return static_cast<int>(ceil(fmax(0.0, at[kPOnset] + double{kRValue})));
    return std::isnan(at[kQrsOnset]) ? kNoQrsOnset : static_cast<int>(ceil(at[kQrsOnset] + double{kRValue}));
  }
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t beat) const {
    const float* window = windows + beat * kValues;
    const int low = low_of(beat), high = high_of(beat), count = high > low ? high - low : 0;
    const double middle = (low + high - 1) / 2.0;
    double sum = 0, squares = 0, product = 0, spread = 0;
    for (int k = low; k < high; ++k) {
      const double value = window[k], distance = k - middle;
      sum += value;
      squares += value * value;
      product += value * distance;
      spread += distance * distance;
    }
    if (count < kLeastTqValues || !shows_qrs(own, beat)) {
      activity[beat] = NAN;
      return;
    }
    const double rest = squares - sum * sum / count - product * product / spread;
    activity[beat] = static_cast<float>(sqrt(fmax(rest, 0.0) / count));
  }
};

}  // namespace

void wave_amplitudes(BackEnd& context, std::span<const float> windows, std::span<const double> after,
                     std::span<const float> own, std::span<const float> fused, double st_values,
                     std::span<float> amplitudes) {
  const auto beats = static_cast<std::int64_t>(after.size());
  BEATSCAN_EXPECTS(amplitudes.size() == after.size() * kAmplitudes && windows.size() == after.size() * kValues &&
                       own.size() == after.size() * kFiducials && fused.size() == own.size() && st_values >= 0 &&
                       st_values <= 100,
                   "wave_amplitudes: bad shape");
  each(context, beats,
       MeasureAmplitudes{windows.data(), after.data(), own.data(), fused.data(), static_cast<float>(st_values),
                         amplitudes.data()},
       kBeatGrain);
}

void tq_activity(BackEnd& context, std::span<const float> windows, std::span<const double> before,
                 std::span<const float> own, std::span<const float> fused, std::span<float> activity) {
  const auto beats = static_cast<std::int64_t>(before.size());
  BEATSCAN_EXPECTS(windows.size() == before.size() * kValues && own.size() == before.size() * kFiducials &&
                       fused.size() == own.size() && activity.size() == before.size(),
                   "tq_activity: bad shape");
  each(context, beats, MeasureTq{windows.data(), before.data(), own.data(), fused.data(), activity.data()}, kBeatGrain);
}

}  // namespace beatscan::waves
