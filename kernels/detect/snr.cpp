#include "kernels/detect/snr.h"

#include <cmath>

#include "kernels/detect/detect_common.h"
#include "kernels/detect/median.h"
#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"

namespace beatscan {
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
