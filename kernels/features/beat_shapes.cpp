#include "kernels/features/beat_shapes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>

#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "kernels/runtime/vectors.h"

namespace beatscan::features {
namespace {

// Parts of a window, in values: [first, first + size).
struct Part {
  int first, size;
};
constexpr Part kQrs{kRValue - 13, kQrsValues}, kT{kRValue + 13, 43}, kP{kRValue - 36, 27}, kLine{kRValue - 12, 4};
constexpr Part kSlopes{kRValue - 20, 47}, kAreaPart{kRValue - 13, 33}, kSpectrum{kRValue - 16, 32};
constexpr Part kBeforeR{kRValue - 32, 23};
constexpr int kBumpValues = 13, kBumps = 14, kBumpStep = 2, kFirstBump = kRValue - 40;
constexpr int kCoherent = 4;  // beats on either side
constexpr float kDominantCorrelation = 0.9F, kAlike = 0.92F;
constexpr int kFewestDominant = 5;
constexpr float kTiny = 1e-9F, kLeastHeight = 1e-3F;  // mV
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::span<const float> part_of(std::span<const float> window, Part part) {
  return window.subspan(part.first, part.size);
}

float mean_of(std::span<const float> x) {
  float sum = 0;
  for (const float value : x) sum += value;
  return sum / static_cast<float>(x.size());
}

float range_of(std::span<const float> x) {
  const auto [low, high] = std::ranges::minmax(x);
  return high - low;
}

// Returns the middle of the four values of the line.
float line_of(std::span<const float> window) {
  std::array<float, kLine.size> x{};
  std::ranges::copy(part_of(window, kLine), x.begin());
  std::ranges::sort(x);
  return (x[1] + x[2]) / 2;
}

float correlation(std::span<const float> a, std::span<const float> b) {
  const float mean_a = mean_of(a), mean_b = mean_of(b);
  float aa = 0, bb = 0, ab = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const float x = a[i] - mean_a, y = b[i] - mean_b;
    aa += x * x, bb += y * y, ab += x * y;
  }
  return ab / std::sqrt(aa * bb + kTiny * kTiny);
}

// Returns the root mean square of (a - offset_a) - (b - offset_b).
float distance(std::span<const float> a, float offset_a, std::span<const float> b, float offset_b) {
  float sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const float d = a[i] - offset_a - (b[i] - offset_b);
    sum += d * d;
  }
  return std::sqrt(sum / static_cast<float>(a.size()));
}

// Values less their straight line of least squares.
template <int kSize>
std::array<float, kSize> detrended(std::span<const float> x) {
  constexpr float kMiddle = (kSize - 1) / 2.0F;
  constexpr float kSquares = kSize * (static_cast<float>(kSize) * kSize - 1) / 12;
  std::array<float, kSize> y{};
  const float mean = mean_of(x);
  float slope = 0;
  for (int i = 0; i < kSize; ++i) slope += (static_cast<float>(i) - kMiddle) * x[i];
  slope /= kSquares;
  for (int i = 0; i < kSize; ++i) y[i] = x[i] - mean - slope * (static_cast<float>(i) - kMiddle);
  return y;
}
using PWindow = std::array<float, kP.size>;
PWindow p_window(std::span<const float> window) { return detrended<kP.size>(part_of(window, kP)); }

float energy_of(std::span<const float> x) {
  float sum = 0;
  for (const float value : x) sum += value * value;
  return sum;
}

float qrs_width_s(std::span<const float> window) {
  const auto x = part_of(window, kSlopes);
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

float qrs_area_s(std::span<const float> window, float line) {
  float sum = 0, most = kTiny;
  for (const float value : part_of(window, kAreaPart)) {
    sum += std::abs(value - line);
    most = std::max(most, std::abs(value - line));
  }
  return static_cast<float>(sum / most / kHz);
}

// Cosines and sines of the first four frequencies above 0 of 32 values, times a Hann window.
struct LowFrequencies {
  std::array<std::array<float, kSpectrum.size>, 4> cosines{}, sines{};
  std::array<float, kSpectrum.size> hann{};
  LowFrequencies() {
    constexpr double kTurn = 2 * std::numbers::pi;
    for (int i = 0; i < kSpectrum.size; ++i) {
      hann[i] = static_cast<float>(0.5 - 0.5 * std::cos(kTurn * i / (kSpectrum.size - 1)));
      for (int k = 0; k < 4; ++k) {
        cosines[k][i] = static_cast<float>(std::cos(kTurn * (k + 1) * i / kSpectrum.size));
        sines[k][i] = static_cast<float>(std::sin(kTurn * (k + 1) * i / kSpectrum.size));
      }
    }
  }
};

// Returns the share of the power that is not in the first four frequencies (3.9 to 15.6 Hz), by Parseval's theorem.
float high_share(std::span<const float> window, float line) {
  static const LowFrequencies low;
  std::array<float, kSpectrum.size> x{};
  const auto values = part_of(window, kSpectrum);
  for (int i = 0; i < kSpectrum.size; ++i) x[i] = (values[i] - line) * low.hann[i];
  float sum = 0;
  for (const float value : x) sum += value;
  const float all = std::max(kSpectrum.size * energy_of(x) - sum * sum, 0.0F) / 2;
  float in_low = 0;
  for (int k = 0; k < 4; ++k) {
    float c = 0, s = 0;
    for (int i = 0; i < kSpectrum.size; ++i) c += x[i] * low.cosines[k][i], s += x[i] * low.sines[k][i];
    in_low += c * c + s * s;
  }
  return std::clamp(1 - in_low / (all + kTiny), 0.0F, 1.0F);
}

float noise_level(std::span<const float> window) {
  std::array<float, kT.size> bends{};
  for (int i = 0; i < kT.size; ++i) {
    const float* x = window.data() + kT.first + i;
    bends[i] = std::abs(x[0] - 2 * x[1] + x[2]);
  }
  std::ranges::nth_element(bends, bends.begin() + kT.size / 2);
  return bends[kT.size / 2];
}

struct Bumps {
  float most, place_s, least;
};

// Returns the bumps of the P window: how much of a Hann window of 13 values is at each of 14 places.
Bumps bumps_of(std::span<const float> window) {
  static const auto shape = [] {
    std::array<float, kBumpValues> hann{};
    for (int i = 0; i < kBumpValues; ++i)
      hann[i] = static_cast<float>(0.5 - 0.5 * std::cos(2 * std::numbers::pi * i / (kBumpValues - 1)));
    const float mean = mean_of(hann);
    for (float& value : hann) value -= mean;
    const float energy = energy_of(hann);
    for (float& value : hann) value /= energy;
    return hann;
  }();
  Bumps found{-std::numeric_limits<float>::max(), 0, std::numeric_limits<float>::max()};
  for (int b = 0; b < kBumps; ++b) {
    const int first = kFirstBump + b * kBumpStep;
    float size = 0;
    for (int i = 0; i < kBumpValues; ++i) size += shape[i] * window[first + i];
    if (size > found.most)
      found.most = size, found.place_s = static_cast<float>((kRValue - first - kBumpValues / 2) / kHz);
    found.least = std::min(found.least, size);
  }
  return found;
}

// Measures one beat of a range.
class BeatMeasurer {
 public:
  BeatMeasurer(const ShapeRange& range, const LeadReference& reference)
      : range_(range),
        reference_(reference),
        windows_(std::ssize(range.windows) / kValues),
        amplitude_(std::max(range_of(part_of(reference.dominant, kQrs)), kLeastHeight)),
        dominant_line_(line_of(reference.dominant)) {}

  // `w` is the beat's window, and `local` the local beat.
  void measure(std::int64_t w, std::span<const float> local, float* out) const {
    const auto x = window(w);
    const float line = line_of(x);
    add_qrs(w, x, line, local, out);
    add_t(x, local, out);
    add_p(w, x, local, out);
    add_alike(x, out);
  }

  std::span<const float> window(std::int64_t w) const { return range_.windows.subspan(w * kValues, kValues); }

 private:
  void add_qrs(std::int64_t w, std::span<const float> x, float line, std::span<const float> local, float* out) const {
    const auto qrs = part_of(x, kQrs), of_local = part_of(local, kQrs);
    const auto with = [&](std::int64_t other) {
      return other < 0 || other >= windows_ ? kNan : correlation(qrs, part_of(window(other), kQrs));
    };
    const float height = range_of(qrs);
    out[kQrsCorrelation] = correlation(qrs, part_of(reference_.dominant, kQrs));
    out[kQrsLocalCorrelation] = correlation(qrs, of_local);
    out[kQrsPrevCorrelation] = with(w - 1);
    out[kQrsNextCorrelation] = with(w + 1);
    out[kQrsDistance] = distance(qrs, line, part_of(reference_.dominant, kQrs), dominant_line_) / amplitude_;
    out[kQrsLocalDistance] = distance(qrs, mean_of(qrs), of_local, mean_of(of_local)) / amplitude_;
    out[kQrsHeight] = height / amplitude_;
    out[kQrsWidth] = qrs_width_s(x);
    out[kQrsArea] = qrs_area_s(x, line);
    out[kQrsPositive] = (std::ranges::max(qrs) - line) / (height + kLeastHeight);
    out[kQrsHighShare] = high_share(x, line);
  }

  void add_t(std::span<const float> x, std::span<const float> local, float* out) const {
    const auto t = part_of(x, kT), of_local = part_of(local, kT);
    out[kTCorrelation] = correlation(t, of_local);
    out[kTDistance] = distance(t, mean_of(t), of_local, mean_of(of_local)) / amplitude_;
    out[kNoiseLevel] = noise_level(x) / amplitude_;
  }

  void add_p(std::int64_t w, std::span<const float> x, std::span<const float> local, float* out) const {
    const PWindow p = p_window(x), of_local = p_window(local);
    float product = 0;
    for (int i = 0; i < kP.size; ++i) product += p[i] * of_local[i];
    const float least = 0.01F * amplitude_;
    out[kPCorrelation] = product / std::sqrt(energy_of(p) * energy_of(of_local) + kTiny * kTiny);
    out[kPProjection] = std::clamp(product / (energy_of(of_local) + least * least * kP.size), -1.0F, 2.0F);
    out[kPLocalHeight] = range_of(of_local) / amplitude_;
    out[kPDistance] = distance(p, 0, of_local, 0) / amplitude_;
    out[kPCoherence] = coherence(w);
    const Bumps bumps = bumps_of(x), of_local_bumps = bumps_of(local);
    out[kBump] = bumps.most / amplitude_;
    out[kBumpPlace] = bumps.place_s;
    out[kLeastBump] = bumps.least / amplitude_;
    out[kLocalBump] = of_local_bumps.most / amplitude_;
    out[kLocalBumpPlace] = of_local_bumps.place_s;
    out[kTDeparture] = t_departure(w, x, local) / amplitude_;
  }

  float coherence(std::int64_t w) const {
    PWindow sum{};
    float energies = 0;
    const std::int64_t first = std::max<std::int64_t>(w - kCoherent, 0), last = std::min(w + kCoherent, windows_ - 1);
    const auto count = static_cast<float>(last - first + 1);
    for (std::int64_t i = first; i <= last; ++i) {
      const PWindow p = p_window(window(i));
      for (int k = 0; k < kP.size; ++k) sum[k] += p[k] / count;
      energies += energy_of(p) / count;
    }
    const float least = 0.005F * amplitude_;
    return energy_of(sum) / (energies + least * least * kP.size);
  }

  // Compares the time before R with what follows the beat before in the local beat.
  float t_departure(std::int64_t w, std::span<const float> x, std::span<const float> local) const {
    const auto before = part_of(x, kBeforeR);
    std::array<float, kBeforeR.size> rest{};
    const auto shift = std::lround(std::min(range_.rr_s[w], 4.0F) * static_cast<float>(kHz));
    for (int i = 0; i < kBeforeR.size; ++i) {
      const std::int64_t at = kBeforeR.first + i + shift;
      rest[i] = before[i] - (at < kValues ? local[at] : 0);
    }
    return std::sqrt(energy_of(detrended<kBeforeR.size>(rest)) / kBeforeR.size);
  }

  void add_alike(std::span<const float> x, float* out) const {
    std::array<float, kQrsValues> part{};
    unit_qrs(x, part);
    const std::int64_t count = std::ssize(reference_.sample_ratio);
    float alike = 0, ratios = 0, early = 0;
    for (std::int64_t s = 0; s < count; ++s) {
      const float* other = reference_.sample.data() + s * kQrsValues;
      float product = 0;
      for (int i = 0; i < kQrsValues; ++i) product += part[i] * other[i];
      if (!(product > kAlike)) continue;
      alike += 1, ratios += reference_.sample_ratio[s], early += reference_.is_early[s];
    }
    out[kAlikeShare] = count > 0 ? alike / static_cast<float>(count) : 0;
    out[kAlikeRatio] = (ratios + 0.05F) / (alike + 0.05F);
    out[kAlikeEarlyShare] = early / (alike + 1);
  }

  const ShapeRange& range_;
  const LeadReference& reference_;
  std::int64_t windows_;
  float amplitude_, dominant_line_;
};

// Returns the local beat of the block that begins with window `begin`.
std::vector<float> local_beat(const BeatMeasurer& measurer, std::int64_t begin, std::int64_t end,
                              std::span<const std::uint8_t> fit) {
  const std::int64_t first = std::max<std::int64_t>(begin - kReach, 0),
                     last = std::min<std::int64_t>(end + kReach, std::ssize(fit));
  const bool all = std::count(fit.begin() + first, fit.begin() + last, 1) < kFewestDominant;
  std::vector<float> windows;
  for (std::int64_t w = first; w < last; ++w)
    if (all || fit[w]) windows.insert(windows.end(), measurer.window(w).begin(), measurer.window(w).end());
  Cpu one(1);
  return median_window(one, windows);
}

constexpr std::int64_t kFewWindows = 64;

// The value whose rank is in the middle, for W places side by side. Of equal values the first has the lower rank.
struct MedianOfFew {
  template <int W>
  BEATSCAN_INLINE static void run(const float* windows, std::int64_t count, float* median) {
    static_assert(kValues >= W);
    for (int k = 0; k < kValues; k += W) {
      const int place = std::min(k, kValues - W);
      const auto at = [=](std::int64_t window) {
        Floats<W> values;
        std::memcpy(&values, windows + window * kValues + place, sizeof values);
        return values;
      };
      const Ints<W> middle = Ints<W>{} + static_cast<int>(count / 2);
      Floats<W> found = {};
      for (std::int64_t w = 0; w < count; ++w) {
        const Floats<W> own = at(w);
        Ints<W> rank = {};  // comparisons give -1
        for (std::int64_t v = 0; v < w; ++v) rank -= at(v) <= own;
        for (std::int64_t v = w + 1; v < count; ++v) rank -= at(v) < own;
        found = rank == middle ? own : found;
      }
      std::memcpy(median + place, &found, sizeof found);
    }
  }
};

}  // namespace

void halve_windows(Cpu& cpu, std::span<const float> windows, std::span<float> halves) {
  BEATSCAN_EXPECTS(windows.size() == 2 * halves.size() && halves.size() % kValues == 0, "halve_windows: bad shape");
  parallel_for(cpu, std::ssize(halves), 1 << 16, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) halves[i] = (windows[2 * i] + windows[2 * i + 1]) / 2;
  });
}

std::vector<float> median_window(Cpu& cpu, std::span<const float> windows) {
  const std::int64_t count = std::ssize(windows) / kValues;
  BEATSCAN_EXPECTS(count > 0 && std::ssize(windows) % kValues == 0, "median_window: bad shape");
  std::vector<float> median(kValues);
  if (count <= kFewWindows) {
    OnProcessor<MedianOfFew>::run(windows.data(), count, median.data());
    return median;
  }
  parallel_for(cpu, kValues, 16, [&](std::int64_t first, std::int64_t last) {
    std::vector<float> column(count);
    for (std::int64_t k = first; k < last; ++k) {
      for (std::int64_t w = 0; w < count; ++w) column[w] = windows[w * kValues + k];
      std::ranges::nth_element(column, column.begin() + count / 2);
      median[k] = column[count / 2];
    }
  });
  return median;
}

void qrs_correlations(Cpu& cpu, std::span<const float> windows, std::span<const float> reference,
                      std::span<float> correlations) {
  BEATSCAN_EXPECTS(windows.size() == correlations.size() * kValues && reference.size() == kValues,
                   "qrs_correlations: bad shape");
  parallel_for(cpu, std::ssize(correlations), 1024, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t w = first; w < last; ++w)
      correlations[w] = correlation(part_of(windows.subspan(w * kValues, kValues), kQrs), part_of(reference, kQrs));
  });
}

void unit_qrs(std::span<const float> window, std::span<float> part) {
  const auto qrs = part_of(window, kQrs);
  const float mean = mean_of(qrs);
  float energy = 0;
  for (int i = 0; i < kQrsValues; ++i) {
    part[i] = qrs[i] - mean;
    energy += part[i] * part[i];
  }
  const float length = std::sqrt(energy) + 1e-6F;
  for (int i = 0; i < kQrsValues; ++i) part[i] /= length;
}

void beat_shapes(Cpu& cpu, const ShapeRange& range, const LeadReference& reference, std::span<float> measures) {
  const std::int64_t windows = std::ssize(range.windows) / kValues;
  BEATSCAN_EXPECTS(range.first % kBlock == 0 && std::ssize(measures) == range.beats * kShapeMeasures &&
                       range.skip + range.beats <= windows && std::ssize(range.dominant) == windows &&
                       std::ssize(range.rr_s) == windows && std::ssize(reference.dominant) == kValues &&
                       reference.sample.size() == reference.sample_ratio.size() * kQrsValues &&
                       reference.is_early.size() == reference.sample_ratio.size(),
                   "beat_shapes: bad shape");
  std::vector<float> correlations(windows);
  qrs_correlations(cpu, range.windows, reference.dominant, correlations);
  std::vector<std::uint8_t> fit(windows);
  for (std::int64_t w = 0; w < windows; ++w) fit[w] = range.dominant[w] && correlations[w] > kDominantCorrelation;
  const BeatMeasurer measurer(range, reference);
  const std::int64_t blocks = (range.beats + kBlock - 1) / kBlock;
  parallel_for(cpu, blocks, 4, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t b = first; b < last; ++b) {
      const std::int64_t begin = b * kBlock, end = std::min(begin + kBlock, range.beats);
      const auto local = local_beat(measurer, range.skip + begin, range.skip + end, fit);
      for (std::int64_t i = begin; i < end; ++i)
        measurer.measure(range.skip + i, local, measures.data() + i * kShapeMeasures);
    }
  });
}

}  // namespace beatscan::features
