#include "kernels/beats/fuse_leads.h"

#include <cmath>

#include "kernels/beats/detect_common.h"
#include "kernels/lists/sorted.h"
#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

constexpr float kHalf = 0.4f;  // the u at which a lead adds half its weight

constexpr float kLittle = 0.5f;  // share of the mean weight below which a lead has little

// A point between the middles of two blocks; beyond the outermost middles it is at these.
struct BetweenBlocks {
  std::int64_t before, behind;
  float share;  // of the block behind
  BEATSCAN_HOST_DEVICE BetweenBlocks(std::int64_t sample, std::int64_t blocks, int block) {
    const double place = (static_cast<double>(sample) + 0.5) / block - 0.5;
    before = place > 0 ? static_cast<std::int64_t>(place) : 0;
    if (before > blocks - 1) before = blocks - 1;
    behind = before + 1 < blocks ? before + 1 : before;
    share = place > 0 && behind > before ? static_cast<float>(place - static_cast<double>(before)) : 0;
  }
  BEATSCAN_HOST_DEVICE float of(const float* values) const {
    return values[before] + share * (values[behind] - values[before]);
  }
};

// Item i is a block.
struct LeadWeights {
  const float *maxima, *levels;
  const Clarity* clarity;
  const std::int64_t *firsts, *lasts;
  std::int64_t gaps, n, blocks;
  int block;
  double bridged;
  float* weights;
  // How much the lead is heard in a block, from 0 to 1.
  BEATSCAN_HOST_DEVICE float heard_in(std::int64_t i) const {
    const detection::BlockRange range(i, blocks, block, n);
    for (auto gap = first_not_below(lasts, gaps, range.first); gap < gaps && firsts[gap] < range.last; ++gap)
      if (static_cast<double>(lasts[gap] - firsts[gap] + 1) > bridged) return 0;
    const float heard = (maxima[i] / levels[i] - 0.1f) / 0.2f;
    return heard < 0 ? 0 : heard > 1 ? 1 : heard;
  }
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    float heard = heard_in(i);
    if (i > 0 && heard_in(i - 1) < heard) heard = heard_in(i - 1);
    if (i + 1 < blocks && heard_in(i + 1) < heard) heard = heard_in(i + 1);
    const float over = clarity[i].over_half, own = over < 1 ? 1 : over > 30 ? 30 : over, least = 1e-3f;
    weights[i] = !(maxima[i] > 0) ? 0 : sqrtf(own) * (heard < least ? least : heard);
  }
};

void check_lead(const WeightedLevels& lead) {
  BEATSCAN_EXPECTS(lead.levels.size() == lead.weights.size() && !lead.levels.empty() && lead.block > 0,
                   "fuse_leads: bad shape");
}

}  // namespace

void lead_weights(BackEnd& context, const LeadBlocksView& lead, const Gaps& gaps, std::int64_t n, int block,
                  std::span<float> weights) {
  const std::int64_t blocks = std::ssize(weights);
  check_maxima(n, block, blocks);
  BEATSCAN_EXPECTS(lead.maxima.size() == weights.size() && lead.levels.size() == weights.size() &&
                       lead.clarity.size() == weights.size() && gaps.firsts.size() == gaps.lasts.size(),
                   "lead_weights: bad shape");
  each(context, blocks,
       LeadWeights{lead.maxima.data(), lead.levels.data(), lead.clarity.data(), gaps.firsts.data(), gaps.lasts.data(),
                   std::ssize(gaps.firsts), n, blocks, block, lead.bridged, weights.data()});
}

void share_weights(BackEnd& context, std::span<float> weights, std::int64_t blocks) {
  BEATSCAN_EXPECTS(blocks > 0 && std::ssize(weights) % blocks == 0, "share_weights: bad shape");
  const std::int64_t leads = std::ssize(weights) / blocks;
  each(context, blocks, [=, weights = weights.data()] BEATSCAN_DEVICE(std::int64_t i) {
    float sum = 0;
    for (std::int64_t l = 0; l < leads; ++l) sum += weights[l * blocks + i];
    for (std::int64_t l = 0; l < leads && sum > 0; ++l) weights[l * blocks + i] /= sum;
  });
}

void add_lead(BackEnd& context, std::span<const float> envelope, std::int64_t first, const WeightedLevels& lead,
              std::span<float> sum) {
  check_lead(lead);
  BEATSCAN_EXPECTS(envelope.size() == sum.size() && first >= 0, "add_lead: bad shape");
  each(context, std::ssize(sum),
       [=, envelope = envelope.data(), sum = sum.data(), levels = lead.levels.data(), weights = lead.weights.data(),
        blocks = static_cast<std::int64_t>(lead.levels.size()), block = lead.block] BEATSCAN_DEVICE(std::int64_t i) {
         const BetweenBlocks place(first + i, blocks, block);
         const float u = envelope[i] / place.of(levels);
         if (u > 0) sum[i] += place.of(weights) * (u / (kHalf + u));
       });
}

void finish_fused(BackEnd& context, std::span<float> sum) {
  each(context, std::ssize(sum), [sum = sum.data()] BEATSCAN_DEVICE(std::int64_t i) {
    const float s = sum[i] < 0.999f ? sum[i] : 0.999f;
    sum[i] = kHalf * s / (1 - s);
  });
}

void limit_noise(BackEnd& context, std::span<const float> noise, std::span<const float> weights,
                 std::span<float> fused) {
  const std::int64_t blocks = std::ssize(fused);
  BEATSCAN_EXPECTS(blocks > 0 && noise.size() == weights.size() && std::ssize(noise) % blocks == 0,
                   "limit_noise: bad shape");
  const std::int64_t leads = std::ssize(noise) / blocks;
  each(context, blocks,
       [=, noise = noise.data(), weights = weights.data(), fused = fused.data()] BEATSCAN_DEVICE(std::int64_t i) {
         float sum = 0;
         for (std::int64_t l = 0; l < leads; ++l) sum += noise[l * blocks + i] * weights[l * blocks + i];
         if (sum < fused[i]) fused[i] = sum;
       });
}

void add_sharpness(BackEnd& context, std::span<const std::int64_t> at, std::span<const float> sharpness,
                   const WeightedLevels& lead, std::span<float> sum) {
  check_lead(lead);
  BEATSCAN_EXPECTS(at.size() == sum.size() && sharpness.size() == sum.size(), "add_sharpness: bad shape");
  each(context, std::ssize(sum),
       [at = at.data(), sharpness = sharpness.data(), sum = sum.data(), levels = lead.levels.data(),
        weights = lead.weights.data(), blocks = static_cast<std::int64_t>(lead.levels.size()),
        block = lead.block] BEATSCAN_DEVICE(std::int64_t i) {
         const std::int64_t its = at[i] / block, own = its < blocks ? its : blocks - 1;
         sum[i] += weights[own] * (sharpness[i] / levels[own]);
       });
}

void choose_peaks(BackEnd& context, const ChooseInput& input, std::span<const double> peaks, std::span<double> chosen) {
  const std::int64_t count = std::ssize(chosen), blocks = input.blocks;
  BEATSCAN_EXPECTS(
      blocks > 0 && std::ssize(input.weights) % blocks == 0 && std::ssize(input.centres) == count && input.block > 0,
      "choose_peaks: bad shape");
  const std::int64_t leads = std::ssize(input.weights) / blocks;
  BEATSCAN_EXPECTS(std::ssize(peaks) == leads * count && 0 <= input.reference && input.reference < leads,
                   "choose_peaks: bad shape or lead");
  each(context, count,
       [=, centres = input.centres.data(), weights = input.weights.data(), block = input.block,
        reference = input.reference, peaks = peaks.data(), chosen = chosen.data()] BEATSCAN_DEVICE(std::int64_t k) {
         const std::int64_t its = centres[k] / block, own = its < blocks ? its : blocks - 1;
         std::int64_t best = reference;
         if (weights[reference * blocks + own] < kLittle / static_cast<float>(leads))
           for (std::int64_t l = 0; l < leads; ++l)
             if (weights[l * blocks + own] > weights[best * blocks + own]) best = l;
         chosen[k] = peaks[best * count + k];
       });
}

}  // namespace beatscan
