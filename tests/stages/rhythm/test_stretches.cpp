#include "stages/rhythm/signal_evidence.h"

#include <gtest/gtest.h>
#include <utility>

#include "stages/quality/quality.h"

namespace beatscan {

// Shows a stretch of a failed test.
inline void PrintTo(const Stretch& stretch, std::ostream* out) { *out << stretch.first << ".." << stretch.last; }
inline bool operator==(const Stretch& a, const Stretch& b) { return a.first == b.first && a.last == b.last; }

namespace {

constexpr auto kFine = Quality::good, kNoise = Quality::noisy, kClip = Quality::clipped, kLine = Quality::flat;
using SampleStretches = std::vector<Stretch>;

std::vector<std::pair<double, double>> noise_of(const std::vector<Quality>& blocks, double join = 0, double least = 0,
                                                const std::vector<Episode>& others = {}) {
  std::vector<std::pair<double, double>> found;
  for (const Episode& its : noise_episodes({blocks, 10}, 10 * std::ssize(blocks) + 4, others, join, least)) {
    EXPECT_EQ(its.label, EpisodeLabel::noise);
    found.emplace_back(its.start, its.end);
  }
  return found;
}
using Noises = std::vector<std::pair<double, double>>;

TEST(NoiseEpisodes, AreStretchesOfNoisyOrClippedSignal) {
  EXPECT_EQ(noise_of({kFine, kFine}), Noises{});
  EXPECT_EQ(noise_of({kFine, kNoise, kClip, kFine, kLine, kNoise}), (Noises{{10, 30}, {50, 64}}));
  EXPECT_EQ(noise_of({kFine, kNoise, kClip, kFine, kLine, kNoise}, 20), (Noises{{10, 64}})) << "joined";
  EXPECT_EQ(noise_of({kFine, kNoise, kClip, kFine, kLine, kNoise}, 0, 20), (Noises{{10, 30}})) << "the other is short";
  EXPECT_EQ(noise_episodes({{kNoise, kClip}, 10}, 20, {}, 0, 0).at(0).quality, Quality::clipped) << "the worse";
}

TEST(NoiseEpisodes, LeaveOutWhatIsFlutter) {
  const std::vector<Episode> flutter = {{.start = 20, .end = 40}};
  EXPECT_EQ(noise_of({kFine, kNoise, kNoise, kNoise, kNoise, kFine}, 0, 0, flutter), (Noises{{10, 20}, {40, 50}}));
  EXPECT_EQ(noise_of({kFine, kNoise, kNoise, kNoise, kNoise, kFine}, 100, 0, flutter), (Noises{{10, 20}, {40, 50}}))
      << "nor are they joined over it";
}

TEST(CommonStretches, AreInEveryList) {
  const SampleStretches a = {{0, 10}, {20, 30}, {40, 50}}, b = {{5, 25}, {45, 60}};
  EXPECT_EQ(common_stretches({a, b}), (SampleStretches{{5, 10}, {20, 25}, {45, 50}}));
  EXPECT_EQ(common_stretches({a, b, {{8, 22}}}), (SampleStretches{{8, 10}, {20, 22}}));
  EXPECT_EQ(common_stretches({a}), a);
  EXPECT_EQ(common_stretches({a, {}}), SampleStretches{});
  EXPECT_EQ(common_stretches({}), SampleStretches{});
}

TEST(JoinedStretches, AreInEither) {
  EXPECT_EQ(joined_stretches({{0, 10}, {20, 30}}, {{10, 12}, {25, 40}, {50, 60}}),
            (SampleStretches{{0, 12}, {20, 40}, {50, 60}}));
  EXPECT_EQ(joined_stretches({}, {}), SampleStretches{});
}

}  // namespace
}  // namespace beatscan
