// kernels/features/beat_measures.h — the measures of one beat that beat_shapes.h names, for both back ends.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "kernels/features/beat_shapes.h"
#include "kernels/runtime/portable.h"

namespace beatscan::features {

// Parts of a window, in values: [first, first + size).
struct Part {
  int first, size;
};
inline constexpr Part kQrs{kRValue - 13, kQrsValues}, kT{kRValue + 13, 43}, kP{kRValue - 36, 27},
    kLine{kRValue - 12, 4};
inline constexpr Part kSlopes{kRValue - 20, 47}, kAreaPart{kRValue - 13, 33}, kSpectrum{kRValue - 16, 32};
inline constexpr Part kBeforeR{kRValue - 32, 23};
inline constexpr int kLobeValues = 13, kLobes = 14, kLobeStep = 2, kFirstLobe = kRValue - 40;
inline constexpr int kLowFrequencies = 4;
inline constexpr int kCoherent = 4;  // beats on either side
inline constexpr float kDominantCorrelation = 0.9F, kAlike = 0.92F;
inline constexpr float kTiny = 1e-9F, kLeastHeight = 1e-3F;  // mV

// A Hann window of kSpectrum, with cosines and sines of the first four frequencies above 0; and one of 13 values, less
// its mean and over its energy.
struct ShapeTables {
  float cosines[kLowFrequencies][kSpectrum.size], sines[kLowFrequencies][kSpectrum.size], hann[kSpectrum.size];
  float lobe[kLobeValues];
};

// The references that a beat is compared with, and the beats around it.
struct ShapeView {
  const float* windows;  // [count][160]
  std::int64_t count;
  const float* rr_s;                   // [count]
  const float* dominant;               // [160]
  const float *sample, *sample_ratio;  // [samples][29], [samples]
  const std::uint8_t* is_early;        // [samples]
  std::int64_t samples;
  const ShapeTables* tables;
  float amplitude, dominant_line;  // of the dominant beat

  BEATSCAN_HOST_DEVICE const float* window(std::int64_t w) const { return windows + w * kValues; }
};

BEATSCAN_HOST_DEVICE inline float lesser(float a, float b) { return b < a ? b : a; }
BEATSCAN_HOST_DEVICE inline float larger(float a, float b) { return a < b ? b : a; }
BEATSCAN_HOST_DEVICE inline float within(float x, float low, float high) { return x < low ? low : high < x ? high : x; }

BEATSCAN_HOST_DEVICE inline float mean_of(const float* x, int size) {
  float sum = 0;
  for (int i = 0; i < size; ++i) sum += x[i];
  return sum / static_cast<float>(size);
}

BEATSCAN_HOST_DEVICE inline float energy_of(const float* x, int size) {
  float sum = 0;
  for (int i = 0; i < size; ++i) sum += x[i] * x[i];
  return sum;
}

BEATSCAN_HOST_DEVICE inline float highest_of(const float* x, int size) {
  float most = x[0];
  for (int i = 1; i < size; ++i) most = larger(most, x[i]);
  return most;
}

BEATSCAN_HOST_DEVICE inline float range_of(const float* x, int size) {
  float least = x[0];
  for (int i = 1; i < size; ++i) least = lesser(least, x[i]);
  return highest_of(x, size) - least;
}

// Returns the middle of the four values of the line.
BEATSCAN_HOST_DEVICE inline float line_of(const float* window) {
  const float* x = window + kLine.first;
  const float low = larger(lesser(x[0], x[1]), lesser(x[2], x[3])),
              high = lesser(larger(x[0], x[1]), larger(x[2], x[3]));
  return (low + high) / 2;
}

BEATSCAN_HOST_DEVICE inline float correlation(const float* a, const float* b, int size) {
  const float mean_a = mean_of(a, size), mean_b = mean_of(b, size);
  float aa = 0, bb = 0, ab = 0;
  for (int i = 0; i < size; ++i) {
    const float x = a[i] - mean_a, y = b[i] - mean_b;
    aa += x * x, bb += y * y, ab += x * y;
  }
  return ab / sqrtf(aa * bb + kTiny * kTiny);
}
BEATSCAN_HOST_DEVICE inline float qrs_correlation(const float* window, const float* other) {
  return correlation(window + kQrs.first, other + kQrs.first, kQrs.size);
}

// Returns the root mean square of (a - offset_a) - (b - offset_b).
BEATSCAN_HOST_DEVICE inline float distance(const float* a, float offset_a, const float* b, float offset_b, int size) {
  float sum = 0;
  for (int i = 0; i < size; ++i) {
    const float d = a[i] - offset_a - (b[i] - offset_b);
    sum += d * d;
  }
  return sqrtf(sum / static_cast<float>(size));
}

// Writes values minus their straight line of least squares.
template <int kSize>
BEATSCAN_HOST_DEVICE void detrend(const float* x, float* y) {
  constexpr float kMiddle = (kSize - 1) / 2.0F;
  constexpr float kSquares = kSize * (static_cast<float>(kSize) * kSize - 1) / 12;
  const float mean = mean_of(x, kSize);
  float slope = 0;
  for (int i = 0; i < kSize; ++i) slope += (static_cast<float>(i) - kMiddle) * x[i];
  slope /= kSquares;
  for (int i = 0; i < kSize; ++i) y[i] = x[i] - mean - slope * (static_cast<float>(i) - kMiddle);
}
BEATSCAN_HOST_DEVICE inline void detrended_p(const float* window, float* p) { detrend<kP.size>(window + kP.first, p); }

BEATSCAN_HOST_DEVICE inline float qrs_width_s(const float* window) {
  const float* x = window + kSlopes.first;
  float total = kTiny;
  for (int i = 1; i < kSlopes.size; ++i) total += (x[i] - x[i - 1]) * (x[i] - x[i - 1]);
  float sum = 0;
  int width = 1;
  for (int i = 1; i < kSlopes.size; ++i) {
    sum += (x[i] - x[i - 1]) * (x[i] - x[i - 1]);
    width += sum >= 0.05F * total && sum < 0.95F * total;
  }
  return static_cast<float>(width / kHz);
}

BEATSCAN_HOST_DEVICE inline float qrs_area_s(const float* window, float line) {
  float sum = 0, most = kTiny;
  for (int i = 0; i < kAreaPart.size; ++i) {
    const float height = fabsf(window[kAreaPart.first + i] - line);
    sum += height;
    most = larger(most, height);
  }
  return static_cast<float>(sum / most / kHz);
}

// Returns the share of the power that is not in the first four frequencies (3.9 to 15.6 Hz), by Parseval's theorem.
BEATSCAN_HOST_DEVICE inline float high_share(const ShapeTables& tables, const float* window, float line) {
  float x[kSpectrum.size];
  for (int i = 0; i < kSpectrum.size; ++i) x[i] = (window[kSpectrum.first + i] - line) * tables.hann[i];
  float sum = 0;
  for (const float value : x) sum += value;
  const float all = larger(kSpectrum.size * energy_of(x, kSpectrum.size) - sum * sum, 0.0F) / 2;
  float in_low = 0;
  for (int k = 0; k < kLowFrequencies; ++k) {
    float c = 0, s = 0;
    for (int i = 0; i < kSpectrum.size; ++i) c += x[i] * tables.cosines[k][i], s += x[i] * tables.sines[k][i];
    in_low += c * c + s * s;
  }
  return within(1 - in_low / (all + kTiny), 0.0F, 1.0F);
}

// Returns the median |second difference| of the T part: the value of rank size / 2, from 0.
BEATSCAN_HOST_DEVICE inline float noise_level(const float* window) {
  float bends[kT.size];
  for (int i = 0; i < kT.size; ++i) {
    const float* x = window + kT.first + i;
    bends[i] = fabsf(x[0] - 2 * x[1] + x[2]);
  }
  float median = 0;
  for (int i = 0; i < kT.size; ++i) {
    int rank = 0;
    for (int k = 0; k < kT.size; ++k) rank += bends[k] < bends[i] || (bends[k] == bends[i] && k < i);
    if (rank == kT.size / 2) median = bends[i];
  }
  return median;
}

struct Lobes {
  float most, place_s, least;
};

// Returns the peaks of the P window: its projection on a Hann window of 13 values at each of 14 places.
BEATSCAN_HOST_DEVICE inline Lobes lobes_of(const ShapeTables& tables, const float* window) {
  Lobes found{0, 0, 0};
  for (int b = 0; b < kLobes; ++b) {
    const int first = kFirstLobe + b * kLobeStep;
    float size = 0;
    for (int i = 0; i < kLobeValues; ++i) size += tables.lobe[i] * window[first + i];
    if (b == 0 || size > found.most)
      found.most = size, found.place_s = static_cast<float>((kRValue - first - kLobeValues / 2) / kHz);
    found.least = b == 0 ? size : lesser(found.least, size);
  }
  return found;
}

BEATSCAN_HOST_DEVICE inline float p_coherence(const ShapeView& view, std::int64_t w) {
  float sum[kP.size] = {}, energies = 0;
  const std::int64_t first = w > kCoherent ? w - kCoherent : 0,
                     last = w + kCoherent < view.count ? w + kCoherent : view.count - 1;
  const auto beats = static_cast<float>(last - first + 1);
  for (std::int64_t i = first; i <= last; ++i) {
    float p[kP.size];
    detrended_p(view.window(i), p);
    for (int k = 0; k < kP.size; ++k) sum[k] += p[k] / beats;
    energies += energy_of(p, kP.size) / beats;
  }
  const float least = 0.005F * view.amplitude;
  return energy_of(sum, kP.size) / (energies + least * least * kP.size);
}

// Compares the time before R with what follows the previous beat in the local beat.
BEATSCAN_HOST_DEVICE inline float t_departure(const float* window, const float* local, float rr_s) {
  float rest[kBeforeR.size], straight[kBeforeR.size];
  const auto shift = static_cast<std::int64_t>(lroundf(lesser(rr_s, 4.0F) * static_cast<float>(kHz)));
  for (int i = 0; i < kBeforeR.size; ++i) {
    const std::int64_t at = kBeforeR.first + i + shift;
    rest[i] = window[kBeforeR.first + i] - (at < kValues ? local[at] : 0);
  }
  detrend<kBeforeR.size>(rest, straight);
  return sqrtf(energy_of(straight, kBeforeR.size) / kBeforeR.size);
}

// Writes the QRS part of a window, minus its mean and of length 1; 0 if it is flat.
//   part  [29]
BEATSCAN_HOST_DEVICE inline void unit_qrs(const float* window, float* part) {
  const float* qrs = window + kQrs.first;
  const float mean = mean_of(qrs, kQrsValues);
  float energy = 0;
  for (int i = 0; i < kQrsValues; ++i) {
    part[i] = qrs[i] - mean;
    energy += part[i] * part[i];
  }
  const float length = sqrtf(energy) + 1e-6F;
  for (int i = 0; i < kQrsValues; ++i) part[i] /= length;
}

// The following measure window w against the local beat and write to `out`, [kShapeMeasures].
BEATSCAN_HOST_DEVICE inline void measure_qrs_and_t(const ShapeView& view, std::int64_t w, const float* local,
                                                   float* out) {
  const float *x = view.window(w), *qrs = x + kQrs.first, *local_qrs = local + kQrs.first, *t = x + kT.first,
              *local_t = local + kT.first;
  const float line = line_of(x), height = range_of(qrs, kQrs.size), over = view.amplitude;
  out[kQrsCorrelation] = qrs_correlation(x, view.dominant);
  out[kQrsLocalCorrelation] = qrs_correlation(x, local);
  out[kQrsPrevCorrelation] = w > 0 ? qrs_correlation(x, view.window(w - 1)) : NAN;
  out[kQrsNextCorrelation] = w + 1 < view.count ? qrs_correlation(x, view.window(w + 1)) : NAN;
  out[kQrsDistance] = distance(qrs, line, view.dominant + kQrs.first, view.dominant_line, kQrs.size) / over;
  out[kQrsLocalDistance] =
      distance(qrs, mean_of(qrs, kQrs.size), local_qrs, mean_of(local_qrs, kQrs.size), kQrs.size) / over;
  out[kQrsHeight] = height / over;
  out[kQrsWidth] = qrs_width_s(x);
  out[kQrsArea] = qrs_area_s(x, line);
  out[kQrsPositive] = (highest_of(qrs, kQrs.size) - line) / (height + kLeastHeight);
  out[kQrsHighShare] = high_share(*view.tables, x, line);
  out[kTCorrelation] = correlation(t, local_t, kT.size);
  out[kTDistance] = distance(t, mean_of(t, kT.size), local_t, mean_of(local_t, kT.size), kT.size) / over;
  out[kNoiseLevel] = noise_level(x) / over;
}

BEATSCAN_HOST_DEVICE inline void measure_p(const ShapeView& view, std::int64_t w, const float* local, float* out) {
  const float *x = view.window(w), over = view.amplitude;
  float p[kP.size], local_p[kP.size], product = 0;
  detrended_p(x, p);
  detrended_p(local, local_p);
  for (int i = 0; i < kP.size; ++i) product += p[i] * local_p[i];
  const float least = 0.01F * over, local_energy = energy_of(local_p, kP.size);
  out[kPCorrelation] = product / sqrtf(energy_of(p, kP.size) * local_energy + kTiny * kTiny);
  out[kPProjection] = within(product / (local_energy + least * least * kP.size), -1.0F, 2.0F);
  out[kPLocalHeight] = range_of(local_p, kP.size) / over;
  out[kPDistance] = distance(p, 0, local_p, 0, kP.size) / over;
  out[kPCoherence] = p_coherence(view, w);
  const Lobes lobes = lobes_of(*view.tables, x), local_lobes = lobes_of(*view.tables, local);
  out[kLobe] = lobes.most / over;
  out[kLobePlace] = lobes.place_s;
  out[kLeastLobe] = lobes.least / over;
  out[kLocalLobe] = local_lobes.most / over;
  out[kLocalLobePlace] = local_lobes.place_s;
  out[kTDeparture] = t_departure(x, local, view.rr_s[w]) / over;
}

BEATSCAN_HOST_DEVICE inline void measure_similar(const ShapeView& view, std::int64_t w, float* out) {
  float part[kQrsValues];
  unit_qrs(view.window(w), part);
  float similar = 0, ratios = 0, early = 0;
  for (std::int64_t s = 0; s < view.samples; ++s) {
    const float* other = view.sample + s * kQrsValues;
    float product = 0;
    for (int i = 0; i < kQrsValues; ++i) product += part[i] * other[i];
    if (!(product > kAlike)) continue;
    similar += 1, ratios += view.sample_ratio[s], early += view.is_early[s];
  }
  out[kAlikeShare] = view.samples > 0 ? similar / static_cast<float>(view.samples) : 0;
  out[kAlikeRatio] = (ratios + 0.05F) / (similar + 0.05F);
  out[kAlikeEarlyShare] = early / (similar + 1);
}

}  // namespace beatscan::features
