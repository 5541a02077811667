#include "stages/episodes/flutter.h"

#include <cmath>
#include <utility>

#include "kernels/runtime/buffer.h"
#include "kernels/runtime/error.h"
#include "kernels/signal/part_maxima.h"
#include "stages/episodes/episode_options.h"
#include "stages/quality/signal_quality.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

constexpr FlutterBlock kSure{true, true, 0.4, 5}, kMayBe{false, true, 0.6, 5}, kNo{};

std::vector<std::pair<double, double>> spans_of(const std::vector<FlutterBlock>& blocks, FlutterOptions options = {}) {
  std::vector<std::pair<double, double>> spans;
  for (const Episode& its : flutter_episodes(blocks, 10, 10 * std::ssize(blocks) + 3, options))
    spans.emplace_back(its.start, its.end);
  return spans;
}
using Spans = std::vector<std::pair<double, double>>;

std::vector<FlutterBlock> repeat(std::initializer_list<std::pair<int, FlutterBlock>> runs) {
  std::vector<FlutterBlock> blocks;
  for (const auto& [count, block] : runs) blocks.insert(blocks.end(), count, block);
  return blocks;
}

TEST(FlutterEpisodes, BeginWithSureBlocksAndAreLengthened) {
  EXPECT_EQ(spans_of({}), Spans{});
  EXPECT_EQ(spans_of(repeat({{9, kMayBe}})), Spans{});
  EXPECT_EQ(spans_of(repeat({{3, kNo}, {1, kSure}, {3, kNo}})), (Spans{{30, 40}}));
  EXPECT_EQ(spans_of(repeat({{8, kMayBe}, {1, kSure}, {8, kMayBe}})), (Spans{{30, 140}})) << "five on either side";
  EXPECT_EQ(spans_of(repeat({{2, kNo}, {1, kSure}})), (Spans{{20, 33}})) << "up to the end of the recording";
}

TEST(FlutterEpisodes, AreJoinedOverTwoOtherBlocks) {
  EXPECT_EQ(spans_of(repeat({{1, kSure}, {2, kNo}, {1, kSure}, {1, kNo}})), (Spans{{0, 40}}));
  EXPECT_EQ(spans_of(repeat({{1, kSure}, {3, kNo}, {1, kSure}, {1, kNo}})), (Spans{{0, 10}, {40, 50}}));
  EXPECT_EQ(spans_of(repeat({{1, kSure}, {2, kNo}, {1, kSure}, {1, kNo}}), {.least_blocks = 3}), Spans{});
}

TEST(FlutterEpisodes, TellFlutterFromFibrillationAndTheirConfidence) {
  const auto of = [](const FlutterBlock& block) {
    return flutter_episodes(repeat({{3, block}, {1, kMayBe}}), 10, 40, {}).at(0);
  };
  EXPECT_EQ(of({true, true, 0.35, 4.4}).label, EpisodeLabel::ventricular_flutter);
  EXPECT_EQ(of({true, true, 0.37, 4.4}).label, EpisodeLabel::ventricular_fibrillation) << "too uneven";
  EXPECT_EQ(of({true, true, 0.35, 4.6}).label, EpisodeLabel::ventricular_fibrillation) << "too fast";
  EXPECT_EQ(of(kSure).confidence, 0.75);
}

bool none_shows_beats(std::size_t, std::int64_t) { return false; }

TEST(JoinFlutterLeads, FlatAndMissingLeadsHaveNoVote) {
  const Quality good = Quality::good, flat = Quality::flat, noisy = Quality::noisy, missing = Quality::missing;
  const std::vector<SignalQuality> quality = {{{good, noisy, flat, flat}, 10}, {{noisy, flat, noisy, missing}, 10}};
  const auto joined =
      join_flutter_leads({{kSure, kSure, kNo, kSure}, {kMayBe, kNo, kSure, kSure}}, quality, 10, none_shows_beats);
  const std::vector<std::pair<bool, bool>> expected = {{false, true}, {true, true}, {true, true}, {false, false}};
  for (std::size_t b = 0; b < expected.size(); ++b) {
    EXPECT_EQ(joined[b].sure, expected[b].first) << b;
    EXPECT_EQ(joined[b].may_be, expected[b].second) << b;
  }
  EXPECT_EQ(joined[0].leakage, 0.5) << "the mean of both";
  EXPECT_EQ(joined[1].leakage, 0.4) << "of the only one";
  EXPECT_EQ(joined[1].share, 1);
  EXPECT_THROW_KIND(join_flutter_leads({{kSure}}, quality, 10, none_shows_beats), ErrorKind::internal);
}

// Noise in one lead must not hide fibrillation in another, and a lead that shows beats denies it.
TEST(JoinFlutterLeads, ALeadWithoutBeatsDoesNotDeny) {
  const std::vector<SignalQuality> quality(3, {{Quality::good, Quality::noisy}, 10});
  const auto joined = [&](int sure, const ShowsBeats& shows_beats) {
    std::vector<std::vector<FlutterBlock>> leads(3, {kNo, kNo});
    for (int l = 0; l < sure; ++l) leads[l] = {kSure, kSure};
    return join_flutter_leads(leads, quality, 10, shows_beats);
  };
  EXPECT_FALSE(joined(1, none_shows_beats)[0].may_be) << "fewer than half";
  EXPECT_TRUE(joined(2, none_shows_beats)[0].sure);
  EXPECT_DOUBLE_EQ(joined(2, none_shows_beats)[0].share, 2.0 / 3);
  const auto denied = joined(2, [](std::size_t lead, std::int64_t block) { return lead == 2 && block == 1; });
  EXPECT_TRUE(denied[0].sure);
  EXPECT_FALSE(denied[1].may_be);
  EXPECT_TRUE(joined(3, [](std::size_t, std::int64_t) { return true; })[1].sure) << "none is asked where all agree";
  FlutterBlock resting;
  resting.comes_to_rest = true;
  const auto at_rest =
      join_flutter_leads({{kSure, kSure}, {kSure, kSure}, {resting, resting}}, quality, 10, none_shows_beats);
  EXPECT_TRUE(at_rest[0].sure && at_rest[1].sure) << "noise is near";
  const std::vector<SignalQuality> good(3, {{Quality::good, Quality::good}, 10});
  EXPECT_FALSE(
      join_flutter_leads({{kSure, kSure}, {kSure, kSure}, {resting, resting}}, good, 10, none_shows_beats)[0].may_be)
      << "a good lead that comes to rest denies it";
  EXPECT_TRUE(join_flutter_leads({{kSure, kSure}, {kSure, kSure}, {resting, kNo}}, good, 10, none_shows_beats)[0].sure)
      << "one that does not rest denies nothing";
  const std::vector<SignalQuality> long_good(3, {std::vector<Quality>(9, Quality::good), 10});
  for (const std::size_t rests : {6U, 7U}) {  // blocks from the second on
    std::vector<FlutterBlock> calm(9, kNo);
    std::fill_n(calm.begin() + 1, rests, resting);
    const std::vector<FlutterBlock> waves(9, kSure);
    EXPECT_EQ(join_flutter_leads({waves, waves, calm}, long_good, 10, none_shows_beats)[4].may_be, rests < 7) << rests;
  }
  const FlutterBlock half{true, true, 0.4, 5, 0.5};
  EXPECT_EQ(flutter_episodes(repeat({{4, half}}), 10, 40, {}).at(0).confidence, 0.5);
  const FlutterBlock half_maybe{false, true, 0.6, 5, 0.5};
  EXPECT_EQ(spans_of(repeat({{3, half}, {1, kMayBe}})).size(), 0u) << "three blocks are few";
  EXPECT_EQ(spans_of(repeat({{4, half}, {4, half_maybe}})).size(), 1u) << "a confidence of a quarter";
  const FlutterBlock third{true, true, 0.4, 5, 0.33};
  EXPECT_EQ(spans_of(repeat({{4, third}, {5, half_maybe}})).size(), 0u) << "a confidence of 0.15";
  EXPECT_EQ(spans_of(repeat({{1, kSure}, {5, kMayBe}})).size(), 1u) << "one, but in all leads";
}

template <class Context>
class FlutterBlocks : public OnBackend<Context> {};
TYPED_TEST_SUITE(FlutterBlocks, Backends, BackendNames);

// Ten seconds at rest, ten of a sine of 4 Hz, and ten at rest. The envelope stands in for that of the detection: it is
// at rest between beats, and never in the sine.
TYPED_TEST(FlutterBlocks, ASineIsSureAndBeatsAreNot) {
  constexpr double kRate = 250;
  constexpr int kWidth = 10, kSecond = 250;
  std::vector<float> x(30 * kSecond), parts(parts_for(std::ssize(x), kWidth), 0.05f);
  for (int i = 0; i < 30 * kSecond; ++i) {
    const bool waves = i / kSecond / 10 == 1;
    const float beat = i % kSecond < 20 ? 1.0f : 0.0f;
    x[i] = waves ? static_cast<float>(std::sin(2 * 3.14159265 * 4 * i / kRate)) : beat;
    if (waves || beat > 0) parts[i / kWidth] = 1;
  }
  auto& context = this->context();
  const auto samples = from_host(context, x), envelope = from_host(context, parts);
  const auto of = [&](double usual_range, const FlutterOptions& options) {
    std::vector<int> sure;
    const auto blocks = flutter_blocks<TypeParam>(context, samples, envelope, kWidth, usual_range, kRate, options);
    EXPECT_EQ(blocks.size(), 15u);
    for (std::size_t b = 0; b < blocks.size(); ++b)
      if (blocks[b].sure) {
        sure.push_back(static_cast<int>(b));
        EXPECT_NEAR(blocks[b].hz, 4, 0.5);
      }
    return sure;
  };
  EXPECT_EQ(of(2, {}), (std::vector<int>{5, 6, 7, 8, 9}));
  EXPECT_EQ(of(11, {}), std::vector<int>{}) << "waves that are small for this lead";
  EXPECT_EQ(of(2, {.slowest_hz = 6}), std::vector<int>{});
  EXPECT_EQ(of(2, {.fastest_hz = 3}), std::vector<int>{});
  EXPECT_EQ(of(2, {.leakage = 0.001}), std::vector<int>{});
}

}  // namespace
}  // namespace beatscan
