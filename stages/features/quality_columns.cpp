#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "stages/features/beat_table.h"
#include "stages/features/column_groups.h"
#include "stages/quality/quality_index.h"

namespace beatscan {
namespace {

using Probabilities = std::array<double, quality::kClasses>;

// Returns the probabilities of a lead at a sample, interpolated linearly between the middles of blocks.
Probabilities quality_of(const QualityIndex& index, std::int64_t lead, double sample) {
  const double last = static_cast<double>(index.blocks) - 1;
  const double place = std::clamp(sample / index.block_samples - 0.5, 0.0, last);
  const auto block = static_cast<std::int64_t>(place), next = std::min(block + 1, index.blocks - 1);
  const double share = place - static_cast<double>(block);
  Probabilities found{};
  for (const auto of : {quality::kGood, quality::kNoise, quality::kLost})
    found[of] = (1 - share) * index.at(lead, block, of) + share * index.at(lead, next, of);
  return found;
}

// The quality of a beat over leads.
struct BeatQuality {
  Probabilities best;
  double worst_good;
};

BeatQuality quality_over_leads(const TableBeats& beats, std::int64_t beat) {
  BeatQuality found{{kNoValue, kNoValue, kNoValue}, kNoValue};
  if (!beats.quality.exists()) return found;
  for (const std::int64_t lead : beats.leads) {
    const Probabilities own = quality_of(beats.quality, lead, beats.r_peaks[beat]);
    if (!(own[quality::kGood] <= found.best[quality::kGood])) found.best = own;
    if (!(own[quality::kGood] >= found.worst_good)) found.worst_good = own[quality::kGood];
  }
  return found;
}

}  // namespace

void add_quality_columns(const TableBeats& beats, FeatureColumns& columns) {
  std::vector<BeatQuality> found(columns.beats());
  each_beat(columns.beats(), [&](std::int64_t i) { found[i] = quality_over_leads(beats, i); });
  columns.add("quality_good", "", "probability of good signal around the beat, in the lead in which it is best",
              [&](std::int64_t i) { return found[i].best[quality::kGood]; });
  columns.add("quality_good_worst", "", "the same in the lead in which it is worst",
              [&](std::int64_t i) { return found[i].worst_good; });
  columns.add("quality_noise", "", "probability of noise around the beat, in the lead of quality_good",
              [&](std::int64_t i) { return found[i].best[quality::kNoise]; });
  columns.add("quality_lost", "", "probability that the signal is lost around the beat, in the lead of quality_good",
              [&](std::int64_t i) { return found[i].best[quality::kLost]; });
}

}  // namespace beatscan
