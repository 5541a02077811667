#include "kernels/detect/noise.h"

#include <cmath>

#include "kernels/detect/detect.h"
#include "kernels/detect/median.h"
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

namespace {

BEATSCAN_HOST_DEVICE inline double unit(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

// Item i is a block.
struct Rest {
  const float* x;
  std::int64_t first, n, blocks;
  int block;
  detection::Stretches off;
  BlockRest* rest;
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    const detection::BlockRange range(i, blocks, block, n);
    float sorted[kRestSamples];
    int count = 0;
    for (int j = 0; j < kRestSamples; ++j) {
      const std::int64_t sample = range.first + j * (range.last - range.first) / kRestSamples;
      if (off.hold(first + sample)) continue;
      int place = count++;
      for (; place > 0 && sorted[place - 1] > x[sample]; --place) sorted[place] = sorted[place - 1];
      sorted[place] = x[sample];
    }
    rest[i] = count < kFewestRestSamples ? BlockRest{0, 0} : BlockRest{sorted[count / 4], sorted[count / 2]};
  }
};

// Item i is a block. A noise floor of 0, as in a flat lead, gives a large ratio and no infinity.
struct SnrOf {
  const float* levels;
  const BlockRest* rest;
  std::int64_t blocks;
  int reach;
  Snr* snr;
  BEATSCAN_HOST_DEVICE static float ratio(float level, double rest) {
    const double most = 1e6;
    return static_cast<float>(level < most * rest ? level / rest : most);
  }
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    FewSorted<float> quarters, halves;
    for (std::int64_t j = i - reach; j <= i + reach; ++j)
      if (j >= 0 && j < blocks) {
        if (rest[j].quarter > 0) quarters.add(rest[j].quarter);
        if (rest[j].half > 0) halves.add(rest[j].half);
      }
    snr[i] = {ratio(levels[i], quarters.median()), ratio(levels[i], halves.median())};
  }
};

// Item i is a sample of the part.
struct BlendBands {
  float* x;
  std::int64_t first;
  const float *sharp, *levels, *sharp_levels, *shares;
  std::int64_t blocks;
  int block;
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t at = (first + i) / block, own = at < blocks ? at : blocks - 1;
    const float share = shares[own];
    if (!(share > 0)) return;
    const float least = 1e-12f, a = x[i] / levels[own], b = sharp[i] / sharp_levels[own];
    x[i] = levels[own] * powf(a > least ? a : least, 1 - share) * powf(b > least ? b : least, share);
  }
};

}  // namespace

void block_rest(BackEnd& context, const RestInput& input, int block, std::span<BlockRest> rest) {
  const std::int64_t n = std::ssize(input.x), blocks = std::ssize(rest);
  check_maxima(n, block, blocks);
  each(context, blocks,
       Rest{input.x.data(), input.first, n, blocks, block, detection::Stretches(input.off), rest.data()});
}

void block_snr(BackEnd& context, std::span<const float> levels, std::span<const BlockRest> rest, int reach,
               std::span<Snr> snr) {
  BEATSCAN_EXPECTS(levels.size() == rest.size() && snr.size() == rest.size() && 0 <= reach && reach <= kMaxReach,
                   "block_snr: bad shape or reach");
  each(context, std::ssize(rest), SnrOf{levels.data(), rest.data(), std::ssize(rest), reach, snr.data()});
}

void noise_shares(BackEnd& context, std::span<const Snr> snr, const NoiseRange& range, std::span<float> shares) {
  BEATSCAN_EXPECTS(snr.size() == shares.size() && range.begins > range.full && range.full > 0,
                   "noise_shares: bad shape or range");
  each(context, std::ssize(shares),
       [=, begins = range.begins, full = range.full, snr = snr.data(),
        shares = shares.data()] BEATSCAN_DEVICE(std::int64_t i) {
         const double own = snr[i].over_quarter;
         shares[i] = own <= full ? 1 : own >= begins ? 0 : static_cast<float>(log(begins / own) / log(begins / full));
       });
}

void blend_shares(BackEnd& context, std::span<const Snr> usual, std::span<const Snr> sharp,
                  std::span<const float> noise, std::span<float> shares) {
  BEATSCAN_EXPECTS(usual.size() == shares.size() && sharp.size() == shares.size() && noise.size() == shares.size(),
                   "blend_shares: bad shape");
  each(context, std::ssize(shares),
       [usual = usual.data(), sharp = sharp.data(), noise = noise.data(),
        shares = shares.data()] BEATSCAN_DEVICE(std::int64_t i) {
         const double own = sharp[i].over_half;
         shares[i] = own >= 15
                         ? 0
                         : static_cast<float>(noise[i] * unit(own - 2) * unit((1.3 - own / usual[i].over_half) / 0.2));
       });
}

void blend_bands(BackEnd& context, std::span<float> x, std::int64_t first, std::span<const float> sharp,
                 const BandLevels& levels, const BandLevels& sharp_levels, std::span<const float> shares) {
  BEATSCAN_EXPECTS(x.size() == sharp.size() && levels.levels.size() == shares.size() && !shares.empty() &&
                       sharp_levels.levels.size() == shares.size() && levels.block > 0 && first >= 0 &&
                       sharp_levels.block == levels.block,
                   "blend_bands: bad shape");
  each(context, std::ssize(x),
       BlendBands{x.data(), first, sharp.data(), levels.levels.data(), sharp_levels.levels.data(), shares.data(),
                  std::ssize(shares), levels.block});
}

}  // namespace beatscan
