#include "stages/rhythm/fibrillation.h"

#include <gtest/gtest.h>

#include "stages/quality/quality_index.h"

namespace beatscan {
namespace {

constexpr std::int64_t kFibrillationBlock = 500;

struct LeadForTest {
  std::vector<float> scores;  // log odds of fibrillation
  float good = 1;
};

// Makes an index whose scores are calibrated.
QualityIndex scored_index(const std::vector<LeadForTest>& leads, float hz = 4) {
  const std::int64_t blocks = std::ssize(leads.front().scores);
  QualityIndex index{.leads = std::ssize(leads),
                     .blocks = blocks,
                     .block_samples = kFibrillationBlock,
                     .probabilities = {},
                     .fibrillation = {},
                     .fibrillation_model = {1, 0, 0.01, 0.1, 0.2}};
  for (const auto& lead : leads)
    for (const float score : lead.scores) {
      index.fibrillation.push_back({score, 0.3F, hz});
      for (const float p : {lead.good, 1 - lead.good, 0.0F}) index.probabilities.push_back(p);
    }
  return index;
}

std::vector<Episode> fibrillation_in(const QualityIndex& index, const std::vector<std::size_t>& leads) {
  return fibrillation_episodes(index, leads, index.blocks * kFibrillationBlock + 100);
}

const std::vector<float> kFibrillates{-9, -9, 9, 9, -1, 9, -9, -9, -9}, kBeats(9, -9);

TEST(Fibrillation, IsAnEpisodeOfItsBlocks) {
  const auto found = fibrillation_in(scored_index({{kFibrillates}}), {0});
  ASSERT_EQ(found.size(), 1U) << "a weak block between strong ones belongs to it";
  EXPECT_EQ(found[0].start, 1000);
  EXPECT_EQ(found[0].end, 3000);
  EXPECT_EQ(found[0].label, EpisodeLabel::ventricular_flutter);
  EXPECT_TRUE(found[0].confidence > 0.95 && found[0].confidence <= 1);
  EXPECT_EQ(fibrillation_in(scored_index({{kFibrillates}}, 6), {0})[0].label, EpisodeLabel::ventricular_fibrillation);
  EXPECT_TRUE(fibrillation_in(scored_index({{kBeats}}), {0}).empty());
}

TEST(Fibrillation, LastsToTheEndOfTheRecording) {
  const auto found = fibrillation_in(scored_index({{{-9, 9, 9, 9}}}), {0});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].end, 4 * kFibrillationBlock + 100);
}

TEST(Fibrillation, IsDeniedByAGoodLeadWithBeats) {
  EXPECT_TRUE(fibrillation_in(scored_index({{kFibrillates}, {kBeats}}), {0, 1}).empty());
  EXPECT_EQ(fibrillation_in(scored_index({{kFibrillates}, {kBeats, 0.05F}}), {0, 1}).size(), 1U) << "noise";
  EXPECT_EQ(fibrillation_in(scored_index({{kFibrillates}, {kBeats}}), {0}).size(), 1U) << "it does not count";
}

// The posteriors are those of all sequences of states, one by one.
TEST(Fibrillation, HasThePosteriorsOfTheChain) {
  const std::vector<float> scores{0.5F, 2, -1, 3};
  const QualityIndex index = scored_index({{scores}});
  const auto& [scale, offset, begins, ends, starts] = index.fibrillation_model;
  std::vector<double> expected(4);
  double all = 0;
  for (unsigned path = 0; path < 16; ++path) {
    const auto state = [&](int b) { return (path >> b & 1) == 1; };
    double p = state(0) ? starts : 1 - starts;
    for (int b = 0; b < 4; ++b) {
      if (b > 0) p *= state(b - 1) ? (state(b) ? 1 - ends : ends) : (state(b) ? begins : 1 - begins);
      if (state(b)) p *= std::exp(scale * scores[b] + offset);
    }
    all += p;
    for (int b = 0; b < 4; ++b) expected[b] += state(b) ? p : 0;
  }
  const auto found = fibrillation_posteriors(index, std::vector<std::size_t>{0});
  for (int b = 0; b < 4; ++b) EXPECT_NEAR(found[b], expected[b] / all, 1e-12);
}

TEST(Fibrillation, NeedsAnIndexAndALead) {
  EXPECT_TRUE(fibrillation_in({}, {0}).empty());
  EXPECT_TRUE(fibrillation_in(scored_index({{kFibrillates}}), {}).empty());
}

}  // namespace
}  // namespace beatscan
