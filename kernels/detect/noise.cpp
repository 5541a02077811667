#include "kernels/detect/noise.h"

#include <cmath>

#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

struct LocalPower {
  const double *r_peaks, *powers;
  const std::int32_t* lengths;
  std::int64_t beats;
  double reach;
  double* local;

  // Adds up the pauses from `pause` on in steps of `step`, while their middles are within reach of the beat.
  BEATSCAN_HOST_DEVICE void add(std::int64_t beat, std::int64_t pause, int step, double& power, double& length) const {
    for (; 0 <= pause && pause + 1 < beats; pause += step) {
      const double middle = 0.5 * (r_peaks[pause] + r_peaks[pause + 1]);
      const double distance = step < 0 ? r_peaks[beat] - middle : middle - r_peaks[beat];
      if (distance > reach) return;
      power += powers[pause];
      length += lengths[pause];
    }
  }
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    double power = 0, length = 0;
    add(i, i - 1, -1, power, length);
    add(i, i, 1, power, length);
    local[i] = power / length;
  }
};

struct BaselineRange {
  const float* means;
  std::int64_t blocks;
  double width;
  const double* r_peaks;
  BaselinePlaces places;
  double* ranges;

  // Returns the mean of the block that holds the place, and of as many on either side as `half` has room for.
  BEATSCAN_HOST_DEVICE double mean_around(double place) const {
    const auto middle = static_cast<std::int64_t>(floor(place / width));
    const double blocks_within = floor(places.half / width - 0.5);
    const std::int64_t within = blocks_within > 0 ? static_cast<std::int64_t>(blocks_within) : 0;
    double sum = 0;
    for (std::int64_t b = middle - within; b <= middle + within; ++b)
      sum += means[b < 0 ? 0 : b < blocks ? b : blocks - 1];
    return sum / static_cast<double>(2 * within + 1);
  }
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    double least = mean_around(r_peaks[i] + places.first), greatest = least;
    for (int k = 1; k < places.count; ++k) {
      const double mean = mean_around(r_peaks[i] + places.first + k * places.step);
      least = mean < least ? mean : least;
      greatest = mean > greatest ? mean : greatest;
    }
    ranges[i] = greatest - least;
  }
};

BEATSCAN_HOST_DEVICE double excess(double ratio) { return ratio > 1 ? ratio : 1; }

}  // namespace

void local_powers(BackEnd& context, std::span<const double> r_peaks, std::span<const double> powers,
                  std::span<const std::int32_t> lengths, double reach, std::span<double> local) {
  BEATSCAN_EXPECTS(powers.size() + (r_peaks.empty() ? 0 : 1) == r_peaks.size() && lengths.size() == powers.size() &&
                       local.size() == r_peaks.size() && reach >= 0,
                   "local_powers: bad shape");
  const std::int64_t beats = std::ssize(r_peaks);
  each(context, beats, LocalPower{r_peaks.data(), powers.data(), lengths.data(), beats, reach, local.data()});
}

void baseline_ranges(BackEnd& context, std::span<const float> block_means, std::int64_t width,
                     std::span<const double> r_peaks, const BaselinePlaces& places, std::span<double> ranges) {
  BEATSCAN_EXPECTS(
      !block_means.empty() && width > 0 && places.count > 0 && places.half >= 0 && ranges.size() == r_peaks.size(),
      "baseline_ranges: bad shape");
  each(context, std::ssize(r_peaks),
       BaselineRange{block_means.data(), std::ssize(block_means), static_cast<double>(width), r_peaks.data(), places,
                     ranges.data()});
}

void noise_factors(BackEnd& context, std::span<const double> powers, std::span<const double> ranges, UsualNoise usual,
                   float most, std::span<float> factors) {
  BEATSCAN_EXPECTS(powers.size() == factors.size() && ranges.size() == factors.size() && usual.power > 0 &&
                       usual.range > 0 && most >= 1,
                   "noise_factors: bad shape or option");
  each(context, std::ssize(factors),
       [=, powers = powers.data(), ranges = ranges.data(), factors = factors.data()] BEATSCAN_DEVICE(std::int64_t i) {
         const double factor = sqrt(excess(powers[i] / usual.power) * excess(ranges[i] / usual.range));
         factors[i] = factor < most ? static_cast<float>(factor) : most;
       });
}

}  // namespace beatscan
