#include "kernels/quality/features.h"

#include "kernels/quality/eight.h"
#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"

namespace beatscan::quality {
namespace {

constexpr float kMostSteps = 64;  // more distinguish recorders, not signals

// Pointers to what LeadFacts has.
struct FactsOfLead {
  const SampleFacts* samples;
  const BandFacts* bands;
  const LocalMedians* medians;
  const float* levels;
  const Leakage* leakage;
  const Similarity* similarity;
  std::int64_t blocks;

  BEATSCAN_HOST_DEVICE std::int64_t inside(std::int64_t block) const {
    return block < 0 ? 0 : block < blocks ? block : blocks - 1;
  }
  // Returns the median height of seven blocks.
  BEATSCAN_HOST_DEVICE float near_height(std::int64_t block) const {
    float heights[2 * kNearReach + 1];
    for (int j = 0; j <= 2 * kNearReach; ++j) heights[j] = bands[inside(block + j - kNearReach)].height;
    sort_few(heights, 2 * kNearReach + 1);
    return heights[kNearReach];
  }
  // Adds up the similarity of the beats of a block and its neighbours.
  BEATSCAN_HOST_DEVICE Similarity near_similarity(std::int64_t block) const {
    Similarity sum{0, 0, 0};
    for (std::int64_t b = block - 1; b <= block + 1; ++b) {
      if (b < 0 || b >= blocks) continue;
      sum.neighbour += similarity[b].neighbour;
      sum.template_ += similarity[b].template_;
      sum.beats += similarity[b].beats;
    }
    return sum;
  }
};

BEATSCAN_HOST_DEVICE inline void fill_features(const FactsOfLead& lead, std::int64_t block, float* row) {
  const SampleFacts& samples = lead.samples[block];
  const BandFacts& bands = lead.bands[block];
  const LocalMedians& medians = lead.medians[block / kGroupBlocks];
  const auto [step, floor, usual] = scales_of(medians);
  const float present = larger(smaller(usual, bands.height), 2 * step);  // the height that noise is compared with
  const Similarity near = lead.near_similarity(block);
  const auto beats = static_cast<float>(near.beats > 0 ? near.beats : 1);
  row[kMissing] = samples.missing;
  row[kFlat] = samples.flat;
  row[kRail] = samples.rail;
  row[kFill] = samples.jump / larger(medians.steep, step);
  row[kSteps] = smaller(samples.range / step, kMostSteps);
  row[kHeightMv] = bands.height;
  row[kRange] = bands.height / usual;
  row[kRangeNear] = bands.height / larger(lead.near_height(block), 2 * step);
  row[kHigh] = bands.high / present;
  row[kMuscle] = bands.muscle / present;
  row[kHighMuscle] = (bands.high_root + floor) / (bands.muscle_root + floor);
  row[kBaseline] = bands.baseline / usual;
  row[kSlope] = bands.rise / larger(medians.rise, 2 * floor);
  row[kMains] = bands.mains / (bands.energy + kBlockValues * floor * floor) / kBlockValues;
  row[kRest] = bands.rest / lead.levels[block];
  row[kLeakage] = lead.leakage[block].share;
  row[kNeighbour] = near.neighbour / beats;
  row[kTemplate] = near.template_ / beats;
  row[kHz] = lead.leakage[block].hz;
}

}  // namespace

void block_features(BackEnd& on, const LeadFacts& facts, std::span<float> features) {
  const auto blocks = static_cast<std::int64_t>(facts.samples.size());
  const auto of_blocks = [&](auto span) { return static_cast<std::int64_t>(span.size()) == blocks; };
  BEATSCAN_EXPECTS(of_blocks(facts.bands) && of_blocks(facts.levels) && of_blocks(facts.leakage) &&
                       of_blocks(facts.similarity) &&
                       static_cast<std::int64_t>(facts.medians.size()) == median_groups(blocks) &&
                       static_cast<std::int64_t>(features.size()) == blocks * kFeatures,
                   "block_features: bad shape");
  const FactsOfLead lead{facts.samples.data(),
                         facts.bands.data(),
                         facts.medians.data(),
                         facts.levels.data(),
                         facts.leakage.data(),
                         facts.similarity.data(),
                         blocks};
  each(
      on, blocks,
      [lead, features = features.data()] BEATSCAN_DEVICE(std::int64_t block) {
        fill_features(lead, block, features + block * kFeatures);
      },
      512);
}

}  // namespace beatscan::quality
