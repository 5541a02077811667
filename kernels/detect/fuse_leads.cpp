#include "kernels/detect/fuse_leads.h"

#include <cmath>

#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

constexpr float kHalf = 0.4f;  // the u at which a lead adds half its weight

// A point between the middles of two blocks. Beyond the outermost middles it is moved to the nearest one.
struct BetweenBlocks {
  std::int64_t before, behind;
  float share;  // of the later block
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
  BEATSCAN_HOST_DEVICE std::int64_t nearest() const { return share < 0.5f ? before : behind; }
};

// Item i is a block.
struct LeadWeights {
  const float *maxima, *levels;
  const Snr* snr;
  std::int64_t blocks;
  float factor;
  const float* others_noise;
  float* weights;
  // Returns how much the lead moves in a block, from 0 to 1.
  BEATSCAN_HOST_DEVICE float moves_in(std::int64_t i) const {
    const float moves = (maxima[i] / levels[i] - 0.1f) / 0.2f;
    return moves < 0 ? 0 : moves > 1 ? 1 : moves;
  }
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    float moves = moves_in(i);
    const float least = moves * (others_noise ? others_noise[i] : 0);
    for (std::int64_t j = i - 1; j <= i + 1; ++j)
      if (j >= 0 && j < blocks && maxima[j] > 0 && moves_in(j) < moves) moves = moves_in(j);
    if (moves < least) moves = least;
    const float over = snr[i].over_half, own = over < 1 ? 1 : over > 30 ? 30 : over;
    weights[i] = !(maxima[i] > 0) ? 0 : factor * sqrtf(own) * (moves < kLeastHeard ? kLeastHeard : moves);
  }
};

void check_lead(const WeightedLevels& lead) {
  BEATSCAN_EXPECTS(lead.levels.size() == lead.weights.size() && !lead.levels.empty() && lead.block > 0 &&
                       (lead.silence.still.firsts.empty() || lead.silence.heard_still.size() == lead.levels.size()),
                   "fuse_leads: bad shape");
}

}  // namespace

void lead_weights(BackEnd& context, const LeadBlocksView& lead, std::span<float> weights) {
  BEATSCAN_EXPECTS(lead.maxima.size() == weights.size() && lead.levels.size() == weights.size() &&
                       lead.snr.size() == weights.size() &&
                       (lead.others_noise.empty() || lead.others_noise.size() == weights.size()),
                   "lead_weights: bad shape");
  const std::int64_t blocks = std::ssize(weights);
  each(context, blocks,
       LeadWeights{lead.maxima.data(), lead.levels.data(), lead.snr.data(), blocks, lead.factor,
                   lead.others_noise.empty() ? nullptr : lead.others_noise.data(), weights.data()});
}

void least_noise_of_others(BackEnd& context, std::span<const float> noise, std::int64_t blocks,
                           std::span<float> others) {
  BEATSCAN_EXPECTS(blocks > 0 && others.size() == noise.size() && std::ssize(noise) % blocks == 0,
                   "least_noise_of_others: bad shape");
  const std::int64_t count = std::ssize(noise);
  each(context, count, [=, noise = noise.data(), others = others.data()] BEATSCAN_DEVICE(std::int64_t i) {
    float least = 1;
    for (std::int64_t j = i % blocks; j < count; j += blocks)
      if (j != i && noise[j] < least) least = noise[j];
    others[i] = least;
  });
}

void count_noise_once(BackEnd& context, std::span<const float> noise, std::int64_t blocks, std::span<float> weights) {
  BEATSCAN_EXPECTS(blocks > 0 && weights.size() == noise.size() && std::ssize(noise) % blocks == 0,
                   "count_noise_once: bad shape");
  const std::int64_t count = std::ssize(noise);
  each(context, count, [=, noise = noise.data(), weights = weights.data()] BEATSCAN_DEVICE(std::int64_t i) {
    float others = 0;
    for (std::int64_t j = i % blocks; j < count; j += blocks)
      if (j != i) others += noise[j];
    if (others > 1) weights[i] *= 1 - noise[i] + noise[i] / others;
  });
}

void share_weights(BackEnd& context, std::span<float> weights, std::int64_t items) {
  if (weights.empty()) return;
  BEATSCAN_EXPECTS(items > 0 && std::ssize(weights) % items == 0, "share_weights: bad shape");
  const std::int64_t leads = std::ssize(weights) / items;
  each(context, items, [=, weights = weights.data()] BEATSCAN_DEVICE(std::int64_t i) {
    float sum = 0;
    for (std::int64_t l = 0; l < leads; ++l) sum += weights[l * items + i];
    for (std::int64_t l = 0; l < leads && sum > 0; ++l) weights[l * items + i] /= sum;
  });
}

void still_leads(BackEnd& context, std::span<const float> noise, std::span<const float> weights, std::int64_t blocks,
                 std::span<float> heard) {
  BEATSCAN_EXPECTS(blocks > 0 && noise.size() == weights.size() && heard.size() == weights.size() &&
                       std::ssize(weights) % blocks == 0,
                   "still_leads: bad shape");
  const std::int64_t leads = std::ssize(weights) / blocks;
  each(context, std::ssize(heard),
       [=, noise = noise.data(), weights = weights.data(), heard = heard.data()] BEATSCAN_DEVICE(std::int64_t i) {
         float noisy = 0, others = 0;
         for (std::int64_t l = 0; l < leads; ++l) {
           const std::int64_t its = l * blocks + i % blocks;
           if (its == i) continue;
           noisy += weights[its] * noise[its];
           others += weights[its];
         }
         heard[i] = others > 0 ? noisy / others : 1;
       });
}

void add_lead(BackEnd& context, std::span<const float> envelope, std::int64_t first, const WeightedLevels& lead,
              std::span<float> sum, std::span<float> shares) {
  check_lead(lead);
  BEATSCAN_EXPECTS(envelope.size() == sum.size() && first >= 0 && (shares.empty() || shares.size() == sum.size()),
                   "add_lead: bad shape");
  each(context, std::ssize(sum),
       [=, envelope = envelope.data(), sum = sum.data(), levels = lead.levels.data(), weights = lead.weights.data(),
        blocks = static_cast<std::int64_t>(lead.levels.size()), block = lead.block,
        heard = detection::Heard(lead.silence),
        shares = shares.empty() ? nullptr : shares.data()] BEATSCAN_DEVICE(std::int64_t i) {
         const BetweenBlocks place(first + i, blocks, block);
         const float u = envelope[i] / place.of(levels);
         float weight = place.of(weights);
         if (shares) {
           weight *= heard.at(first + i, place.nearest());
           shares[i] += weight;
         }
         if (u > 0) sum[i] += weight * (u / (kHalf + u));
       });
}

void finish_fused(BackEnd& context, std::span<float> sum, std::span<const float> shares) {
  BEATSCAN_EXPECTS(shares.empty() || shares.size() == sum.size(), "finish_fused: bad shape");
  each(context, std::ssize(sum),
       [sum = sum.data(), shares = shares.empty() ? nullptr : shares.data()] BEATSCAN_DEVICE(std::int64_t i) {
         const float whole = shares && shares[i] > 0 ? sum[i] / shares[i] : sum[i], s = whole < 0.999f ? whole : 0.999f;
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

void weights_at(BackEnd& context, std::span<const std::int64_t> at, const WeightedLevels& lead,
                std::span<float> weights) {
  check_lead(lead);
  BEATSCAN_EXPECTS(at.size() == weights.size(), "weights_at: bad shape");
  each(context, std::ssize(at),
       [at = at.data(), own = lead.weights.data(), blocks = static_cast<std::int64_t>(lead.weights.size()),
        block = lead.block, heard = detection::Heard(lead.silence),
        weights = weights.data()] BEATSCAN_DEVICE(std::int64_t i) {
         const std::int64_t its = at[i] / block < blocks ? at[i] / block : blocks - 1;
         weights[i] = own[its] * heard.at(at[i], its);
       });
}

void add_sharpness(BackEnd& context, std::span<const std::int64_t> at, const LeadSharpness& lead,
                   std::span<float> sum) {
  BEATSCAN_EXPECTS(at.size() == sum.size() && lead.sharpness.size() == sum.size() &&
                       lead.weights.size() == sum.size() && !lead.levels.empty() && lead.block > 0,
                   "add_sharpness: bad shape");
  each(context, std::ssize(sum),
       [at = at.data(), sum = sum.data(), sharpness = lead.sharpness.data(), weights = lead.weights.data(),
        levels = lead.levels.data(), blocks = static_cast<std::int64_t>(lead.levels.size()),
        block = lead.block] BEATSCAN_DEVICE(std::int64_t i) {
         const std::int64_t its = at[i] / block < blocks ? at[i] / block : blocks - 1;
         sum[i] += weights[i] * (sharpness[i] / levels[its]);
       });
}

void choose_peaks(BackEnd& context, const ChooseInput& input, std::span<const double> peaks, std::span<double> chosen) {
  const std::int64_t count = std::ssize(chosen), leads = std::ssize(input.later);
  BEATSCAN_EXPECTS(std::ssize(peaks) == leads * count && std::ssize(input.weights) == leads * count &&
                       std::ssize(input.candidates) == count && 0 <= input.reference && input.reference < leads,
                   "choose_peaks: bad shape or lead");
  each(context, count,
       [=, candidates = input.candidates.data(), samples = input.samples, weights = input.weights.data(),
        later = input.later.data(), reference = input.reference, peaks = peaks.data(),
        chosen = chosen.data()] BEATSCAN_DEVICE(std::int64_t k) {
         std::int64_t best = reference;
         if (weights[reference * count + k] < kLeastShareOfMean / static_cast<float>(leads))
           for (std::int64_t l = 0; l < leads; ++l)
             if (weights[l * count + k] > weights[best * count + k]) best = l;
         const double peak = peaks[best * count + k] - later[best],
                      first = k > 0 ? 0.5 * static_cast<double>(candidates[k - 1] + candidates[k]) : 0,
                      last = k + 1 < count ? 0.5 * static_cast<double>(candidates[k] + candidates[k + 1])
                                           : static_cast<double>(samples - 1);
         chosen[k] = peak < first ? first : peak > last ? last : peak;
       });
}

}  // namespace beatscan
