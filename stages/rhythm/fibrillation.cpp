#include "stages/rhythm/fibrillation.h"

#include <algorithm>
#include <cmath>

#include "kernels/classify/state_chain.h"
#include "stages/quality/quality_index.h"

namespace beatscan {
namespace {

constexpr double kMostLogRatio = 30;
constexpr double kFlutterLeakage = 0.5, kFlutterHz = 4.5;  // means over an episode; below them it is flutter

// What the leads show together in a block.
struct FusedScore {
  double score = 0, leakage = 0, hz = 0;
};

FusedScore fused_score(const QualityIndex& index, std::span<const std::size_t> leads, std::int64_t block) {
  FusedScore sum;
  double weights = 1e-12;  // keeps the mean of leads that are all bad finite
  for (const std::size_t lead : leads) {
    const auto l = static_cast<std::int64_t>(lead);
    const auto& own = index.fibrillation[l * index.blocks + block];
    const double weight = index.at(l, block, quality::kGood);
    sum.score += weight * own.score;
    sum.leakage += weight * own.leakage;
    sum.hz += weight * own.hz;
    weights += weight;
  }
  return {sum.score / weights, sum.leakage / weights, sum.hz / weights};
}

// Says whether the blocks [first, last) are flutter.
bool is_flutter(const QualityIndex& index, std::span<const std::size_t> leads, std::int64_t first, std::int64_t last) {
  double leakage = 0, hz = 0;
  for (std::int64_t b = first; b < last; ++b) {
    const FusedScore fused = fused_score(index, leads, b);
    leakage += fused.leakage;
    hz += fused.hz;
  }
  const auto blocks = static_cast<double>(last - first);
  return leakage < kFlutterLeakage * blocks && hz < kFlutterHz * blocks;
}

}  // namespace

// Fibrillation begins and ends with fixed probabilities from a block to the next. A recording starts in it more often
// than it is in it on average, because strips are taken during arrhythmias. The states of the chain are without and
// with fibrillation, and one that is impossible.
std::vector<double> fibrillation_posteriors(const QualityIndex& index, std::span<const std::size_t> leads) {
  const auto& [scale, offset, begins, ends, starts] = index.fibrillation_model;
  std::vector<double> states(index.blocks * kChainStates);
  for (std::int64_t b = 0; b < index.blocks; ++b) {
    const double ratio = scale * fused_score(index, leads, b).score + offset;
    states[b * kChainStates] = b == 0 ? 1 - starts : 1;
    states[b * kChainStates + 1] = std::exp(std::clamp(ratio, -kMostLogRatio, kMostLogRatio)) * (b == 0 ? starts : 1);
  }
  Cpu cpu;
  chain_posteriors(cpu, {{{1 - begins, begins, 0}, {ends, 1 - ends, 0}, {0, 0, 0}}}, states);
  std::vector<double> posteriors(index.blocks);
  for (std::int64_t b = 0; b < index.blocks; ++b) posteriors[b] = states[b * kChainStates + 1];
  return posteriors;
}

std::vector<Episode> fibrillation_episodes(const QualityIndex& index, std::span<const std::size_t> leads,
                                           std::int64_t samples) {
  std::vector<Episode> episodes;
  if (!index.exists() || leads.empty()) return episodes;
  const auto posteriors = fibrillation_posteriors(index, leads);
  const auto begin_of = [&](std::int64_t block) {
    return std::round(static_cast<double>(block) * index.block_samples);
  };
  for (std::int64_t first = 0; first < index.blocks; ++first) {
    double sum = 0;
    std::int64_t last = first;  // behind the episode
    for (; last < index.blocks && posteriors[last] > 0.5; ++last) sum += posteriors[last];
    if (last == first) continue;
    episodes.push_back({.start = begin_of(first),
                        .end = last == index.blocks ? static_cast<double>(samples) : begin_of(last),
                        .label = is_flutter(index, leads, first, last) ? EpisodeLabel::ventricular_flutter
                                                                       : EpisodeLabel::ventricular_fibrillation,
                        .confidence = sum / static_cast<double>(last - first)});
    first = last;
  }
  return episodes;
}

}  // namespace beatscan
