#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/quality/beats.h"
#include "tests/kernels/quality/quality_lead.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan::quality {
namespace {

template <class Context>
class QualityMedians : public OnBackend<Context> {};
TYPED_TEST_SUITE(QualityMedians, Backends, BackendNames);

// The definition: a sorted copy of the blocks around.
float expected_median(const std::vector<float>& values, std::int64_t group) {
  const auto blocks = std::ssize(values);
  const std::int64_t first = std::max<std::int64_t>(0, std::min<std::int64_t>(30 * group - 135, blocks - 300));
  std::vector<float> near;
  for (std::int64_t b = first; b < std::min<std::int64_t>(first + 300, blocks); ++b)
    if (!std::isnan(values[b])) near.push_back(values[b]);
  if (near.empty()) return 0;
  std::ranges::sort(near);
  return (near[(near.size() - 1) / 2] + near[near.size() / 2]) * 0.5F;
}

TYPED_TEST(QualityMedians, MatchTheirDefinition) {
  for (const std::int64_t blocks : {1, 2, 29, 30, 31, 299, 300, 301, 459, 1000}) {
    const auto steps = random_signal(blocks, 1), heights = random_signal(blocks, 2, 1000),
               rises = random_signal(blocks, 3, 50), steeps = random_signal(blocks, 4);
    std::vector<SampleFacts> samples(blocks);
    std::vector<BandFacts> bands(blocks);
    auto known = steps;
    for (std::int64_t b = 0; b < blocks; ++b) {
      if (b % 3 == 1 || blocks == 1) known[b] = std::numeric_limits<float>::quiet_NaN();
      samples[b].step = known[b], samples[b].steep = steeps[b];
      bands[b].height = heights[b], bands[b].rise = rises[b];
    }
    auto& context = this->context();
    Buffer<LocalMedians, TypeParam> found(context, median_groups(blocks));
    local_medians(context, from_host(context, samples), from_host(context, bands), found);
    const auto medians = to_host(context, found);
    for (std::int64_t group = 0; group < std::ssize(medians); ++group) {
      SCOPED_TRACE(testing::Message() << blocks << " blocks, minute " << group);
      EXPECT_EQ(medians[group].step, expected_median(known, group));
      EXPECT_EQ(medians[group].height, expected_median(heights, group));
      EXPECT_EQ(medians[group].rise, expected_median(rises, group));
      EXPECT_EQ(medians[group].steep, expected_median(steeps, group));
    }
  }
}

template <class Context>
class QualityBeats : public OnBackend<Context> {
 protected:
  struct Found {
    std::vector<std::uint32_t> first_beat;
    std::vector<Leakage> leakage;
    std::vector<float> pairs;
    std::vector<Similarity> similarity;
  };

  // Takes windows of some blocks.
  Found find(const LeadView& lead, std::int64_t window_blocks) {
    auto& context = this->context();
    const std::int64_t blocks = lead.blocks;
    Buffer<SampleFacts, Context> samples(context, blocks);
    Buffer<BandFacts, Context> bands(context, blocks);
    Buffer<LocalMedians, Context> medians(context, median_groups(blocks));
    Buffer<float, Context> levels(context, blocks), pairs(context, blocks * kMostBeats * kBeatsAfter);
    Buffer<Leakage, Context> leakage(context, blocks);
    Buffer<BeatRow, Context> rows(context, window_blocks * kMostBeats), before(context, kBeatsAfter),
        last(context, kBeatsAfter);
    Buffer<std::uint32_t, Context> places(context, window_blocks * kMostBeats);
    Buffer<Similarity, Context> similarity(context, blocks);
    sample_facts(context, lead, 0, samples);
    band_facts(context, lead, 0, bands);
    local_medians(context, samples, bands, medians);
    beat_levels(context, bands, medians, levels);
    std::vector<std::uint32_t> first_beat{0};
    for (std::int64_t first = 0; first < blocks; first += window_blocks) {
      const std::int64_t count = std::min(window_blocks, blocks - first);
      Buffer<std::uint32_t, Context> counts(context, count);
      find_beats(context, lead, medians, levels, first, counts, rows.span().first(count * kMostBeats),
                 leakage.span().subspan(first, count));
      std::vector<std::uint32_t> of_window{first_beat.back()};
      for (const std::uint32_t beats : to_host(context, counts)) of_window.push_back(of_window.back() + beats);
      first_beat.insert(first_beat.end(), of_window.begin() + 1, of_window.end());
      const auto starts = from_host(context, of_window);
      const WindowBeats window{count, starts.data(), rows.data(), places.data(), before.data()};
      list_places(context, window, places);
      correlate(context, window, pairs);
      keep_last(context, window, last);
      std::swap(before, last);
    }
    sum_similarity(context, from_host(context, first_beat), pairs, similarity);
    auto of_pairs = to_host(context, pairs);
    of_pairs.resize(first_beat.back() * kBeatsAfter);
    return {first_beat, to_host(context, leakage), of_pairs, to_host(context, similarity)};
  }
};
TYPED_TEST_SUITE(QualityBeats, Backends, BackendNames);

TYPED_TEST(QualityBeats, AreFoundAndAlike) {
  const QualityLead<TypeParam> made(this->context(), quality_beats(250, 60), 250);
  const auto found = this->find(made.lead, 7);
  EXPECT_EQ(found.first_beat.back(), 75U);  // 0.5 s, 1.3 s, ... 59.7 s
  for (std::uint32_t beat = 0; beat < 75; ++beat)
    for (std::uint32_t lag = 1; lag <= kBeatsAfter; ++lag) {
      const float pair = found.pairs[beat * kBeatsAfter + lag - 1];
      if (beat < lag)
        EXPECT_EQ(pair, -1);
      else
        EXPECT_GT(pair, 0.98F) << beat << " " << lag;
    }
  std::uint32_t beats = 0;
  for (const auto& sum : found.similarity) {
    beats += sum.beats;
    EXPECT_NEAR(sum.neighbour, static_cast<float>(sum.beats), 0.1);
    EXPECT_NEAR(sum.template_, static_cast<float>(sum.beats), 0.1);
  }
  EXPECT_EQ(beats, 75U);
  for (const Leakage& leakage : found.leakage) EXPECT_GT(leakage.share, 0.6F) << "spikes are no sine";
}

TYPED_TEST(QualityBeats, DoNotDependOnWindows) {
  const QualityLead<TypeParam> made(this->context(), quality_beats(360, 100), 360);
  const auto whole = this->find(made.lead, 50);
  for (const std::int64_t window : {1, 2, 3, 8, 49}) {
    const auto parts = this->find(made.lead, window);
    EXPECT_EQ(parts.first_beat, whole.first_beat) << window;
    EXPECT_EQ(bits_of(parts.pairs), bits_of(whole.pairs)) << window;
    for (std::size_t b = 0; b < whole.leakage.size(); ++b) {
      EXPECT_EQ(parts.leakage[b].share, whole.leakage[b].share) << window << " " << b;
      EXPECT_EQ(parts.leakage[b].hz, whole.leakage[b].hz) << window << " " << b;
    }
  }
}

TYPED_TEST(QualityBeats, OfALeadWithoutAny) {
  const QualityLead<TypeParam> made(this->context(), std::vector<float>(5000, 1.0F), 250);
  const auto found = this->find(made.lead, 4);
  EXPECT_EQ(found.first_beat.back(), 0U);
  for (const auto& sum : found.similarity) EXPECT_EQ(sum.neighbour, 0);
  for (const Leakage& leakage : found.leakage) EXPECT_EQ(leakage.share, 0);
}

// Fewer than two beats are not compared.
TYPED_TEST(QualityBeats, OfALeadWithOne) {
  const QualityLead<TypeParam> made(this->context(), quality_beats(250, 1.1), 250);
  const auto found = this->find(made.lead, 1);
  EXPECT_EQ(found.first_beat.back(), 1U);
  EXPECT_EQ(found.similarity.front().neighbour, 0);
  EXPECT_EQ(found.similarity.front().beats, 1U);
}

// A sine of 4 Hz has a leakage near 0. Its lag is a whole number of values.
TYPED_TEST(QualityBeats, ASineLeaksLittle) {
  std::vector<float> x(5000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(std::sin(static_cast<double>(i) * 0.1005));
  const QualityLead<TypeParam> made(this->context(), x, 250);
  const auto found = this->find(made.lead, 10);
  for (std::size_t b = 1; b + 1 < found.leakage.size(); ++b) {
    EXPECT_LT(found.leakage[b].share, 0.12F) << b;
    EXPECT_NEAR(found.leakage[b].hz, 4, 0.15) << b;
  }
}

TYPED_TEST(QualityBeats, RefuseABadShape) {
  const QualityLead<TypeParam> made(this->context(), quality_beats(250, 10), 250);
  auto& context = this->context();
  Buffer<float, TypeParam> levels(context, 4);
  Buffer<Leakage, TypeParam> leakage(context, 5);
  Buffer<LocalMedians, TypeParam> medians(context, 1);
  Buffer<std::uint32_t, TypeParam> counts(context, 5);
  Buffer<BeatRow, TypeParam> rows(context, 5 * kMostBeats);
  expect_error(ErrorKind::internal, "bad shape",
               [&] { find_beats(context, made.lead, medians, levels, 0, counts, rows, leakage); });
}

}  // namespace
}  // namespace beatscan::quality
