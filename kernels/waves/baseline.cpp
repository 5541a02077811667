#include "kernels/waves/baseline.h"

#include <cmath>
#include <numbers>

#include "kernels/runtime/buffer.h"
#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/rounded.h"

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

}  // namespace beatscan::waves
