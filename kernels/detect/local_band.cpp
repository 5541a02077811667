#include "kernels/detect/local_band.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "kernels/signal/convolve.h"

namespace beatscan {

namespace {

// Computes band(centre - reach) .. band(centre + reach) for one centre after the other.
class BandWindow {
 public:
  BandWindow(std::span<const float> signal, std::span<const double> taps, int reach)
      : signal_(signal), taps_(taps), values_(2 * reach + 1), extended_(values_.size() + taps.size()) {}

  std::span<double> around(std::int64_t centre) {
    const auto width = std::ssize(taps_), count = std::ssize(values_);
    const std::int64_t source = centre - count / 2 - width / 2;  // first sample that is needed
    const float* x = signal_.data() + source;
    if (source < 0 || source + count + width - 1 > std::ssize(signal_)) {
      for (std::int64_t i = 0; i < count + width - 1; ++i)
        extended_[i] = sample_at(whole(signal_), source + i, Beyond::last_value);
      x = extended_.data();
    }
    direct_sums(x + width - 1, taps_.data(), width, values_.data(), count);
    for (double& value : values_) value = std::abs(value);
    return values_;
  }

 private:
  std::span<const float> signal_;
  std::span<const double> taps_;
  std::vector<double> values_;
  std::vector<float> extended_;
};

// Returns the sum over i of weights[i] * values[i], first <= i < last, in the order in which a warp adds: first value i
// to lane i % 32, then the upper half of the lanes to the lower half.
double weighted_sum(std::span<const double> weights, const double* values, std::int64_t first, std::int64_t last) {
  std::array<double, 32> lanes{};
  for (std::int64_t i = first; i < last; ++i) lanes[i % 32] += weights[i] * values[i];
  for (int half = 16; half > 0; half /= 2)
    for (int lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
  return lanes[0];
}

// The range of the weights around `centre` whose samples are within the recording.
struct Within {
  std::int64_t first, last;
  Within(std::int64_t centre, std::int64_t count, std::int64_t n)
      : first(std::clamp<std::int64_t>(count / 2 - centre, 0, count)),
        last(std::clamp<std::int64_t>(n - centre + count / 2, first, count)) {}
};

}  // namespace

void check_smoothed_band(std::int64_t n, std::int64_t taps, std::int64_t weights, std::int64_t at,
                         std::int64_t heights) {
  BEATSCAN_EXPECTS(
      n > 0 && taps % 2 == 1 && weights % 2 == 1 && weights + 2 * kRefineReach <= kMostPlaces && at == heights,
      "smoothed_band: bad shape");
}

std::vector<double> checked_peak_weights(std::int64_t n, std::int64_t taps, std::int64_t centres, std::int64_t peaks,
                                         const RPeakOptions& options) {
  BEATSCAN_EXPECTS(n > 0 && taps % 2 == 1 && centres == peaks && options.reach >= 0 &&
                       2 * options.reach + 1 <= kMostPlaces && options.sigma > 0,
                   "place_r_peaks: bad shape");
  std::vector<double> weights;
  for (int offset = -options.reach; offset <= options.reach; ++offset) {
    const double d = offset / options.sigma;
    weights.push_back(std::exp(-0.5 * d * d));
  }
  return weights;
}

void smoothed_band(Cpu& cpu, std::span<const float> signal, std::span<const double> taps,
                   std::span<const double> weights, std::span<const std::int64_t> at, std::span<float> heights) {
  const auto n = std::ssize(signal), count = std::ssize(weights);
  check_smoothed_band(n, std::ssize(taps), count, std::ssize(at), std::ssize(heights));
  parallel_for(cpu, std::ssize(at), 256, [&](std::int64_t first, std::int64_t last) {
    BandWindow window(signal, taps, static_cast<int>(count / 2));
    for (std::int64_t c = first; c < last; ++c) {
      const Within within(at[c], count, n);
      heights[c] = static_cast<float>(weighted_sum(weights, window.around(at[c]).data(), within.first, within.last));
    }
  });
}

void refine_candidates(Cpu& cpu, std::span<const float> signal, std::span<const double> taps,
                       std::span<const double> weights, std::span<const std::int64_t> candidates,
                       std::span<const std::int64_t> kept, std::span<std::int64_t> centres) {
  const auto n = std::ssize(signal), count = std::ssize(weights);
  check_smoothed_band(n, std::ssize(taps), count, std::ssize(kept), std::ssize(centres));
  parallel_for(cpu, std::ssize(kept), 256, [&](std::int64_t first, std::int64_t last) {
    BandWindow window(signal, taps, static_cast<int>(count / 2 + kRefineReach));
    for (std::int64_t k = first; k < last; ++k) {
      const std::int64_t candidate = candidates[kept[k]];
      const auto band = window.around(candidate);
      double largest = -1;
      for (int shift = -kRefineReach; shift <= kRefineReach; ++shift) {
        const std::int64_t centre = candidate + shift;
        if (centre < 0 || centre >= n) continue;
        const Within within(centre, count, n);
        const double height = weighted_sum(weights, band.data() + shift + kRefineReach, within.first, within.last);
        if (height <= largest) continue;
        largest = height;
        centres[k] = centre;
      }
    }
  });
}

void place_r_peaks(Cpu& cpu, std::span<const float> signal, std::span<const double> taps,
                   std::span<const std::int64_t> centres, const RPeakOptions& options, std::span<double> peaks) {
  const auto n = std::ssize(signal);
  const auto weights = checked_peak_weights(n, std::ssize(taps), std::ssize(centres), std::ssize(peaks), options);
  parallel_for(cpu, std::ssize(centres), 256, [&](std::int64_t first, std::int64_t last) {
    BandWindow window(signal, taps, options.reach);
    for (std::int64_t k = first; k < last; ++k) {
      const auto weighted = window.around(centres[k]);
      for (std::size_t i = 0; i < weights.size(); ++i) weighted[i] *= weights[i];
      const PeakRange range(centres.data(), std::ssize(centres), k, options.reach);
      const auto allowed = weighted.subspan(range.first, range.last - range.first + 1);
      const auto best = range.first + (std::ranges::max_element(allowed) - allowed.begin());
      peaks[k] = peak_between(weighted.data(), options.reach, static_cast<int>(best), range, centres[k], n);
    }
  });
}

void pause_powers(Cpu& cpu, std::span<const float> signal, std::span<const double> r_peaks,
                  std::span<const std::uint8_t> broken, const std::vector<double>& taps, Pause pause,
                  std::span<double> powers, std::span<std::int32_t> lengths) {
  const Pauses pauses = checked_pauses(signal, r_peaks, broken, taps, pause, powers, lengths);
  parallel_for(cpu, std::ssize(powers), 64, [&](std::int64_t first_pause, std::int64_t last_pause) {
    std::vector<double> filtered;
    for (std::int64_t i = first_pause; i < last_pause; ++i) {
      const auto [first, last] = pauses.of(i);
      filtered.resize(static_cast<std::size_t>(last - first));
      if (first < last)
        direct_sums(signal.data() + first + pauses.half, taps.data(), std::ssize(taps), filtered.data(), last - first);
      powers[i] = 0;
      for (const double value : filtered) powers[i] += value * value;
      lengths[i] = static_cast<std::int32_t>(last - first);
    }
  });
}

}  // namespace beatscan
