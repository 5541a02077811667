#include "app/pipeline/run_options.h"

#include <gtest/gtest.h>

#include "tests/support/small_result.h"

namespace beatscan {
namespace {

TEST(WantsPage, AbnormalIsWhatIsWorthALook) {
  RunResult result = ranked_result();  // its only abnormal beat is in flat signal
  EXPECT_TRUE(wants_page(Pages::all, result));
  EXPECT_FALSE(wants_page(Pages::none, result));
  EXPECT_FALSE(wants_page(Pages::abnormal, result));
  result.scored.scores.anomalous = {0, 1};
  EXPECT_TRUE(wants_page(Pages::abnormal, result));
  EXPECT_FALSE(wants_page(Pages::none, result));
}

TEST(WantsPage, AnEpisodeOfRhythmIsEnough) {
  RunResult result = ranked_result();
  result.rhythm.findings.emplace();
  auto& episodes = result.rhythm.findings->episodes.list;
  episodes = {{0, 100, EpisodeLabel::noise, 0}, {100, 200, EpisodeLabel::gap, 0}};
  EXPECT_FALSE(wants_page(Pages::abnormal, result));
  episodes.push_back({200, 300, EpisodeLabel::pause, 2});
  EXPECT_TRUE(wants_page(Pages::abnormal, result));
}

TEST(WantsPage, AsPublishedAllSignalCounts) {
  RunResult result = small_result();
  EXPECT_TRUE(wants_page(Pages::abnormal, result));
  result.scored.scores.anomalous = {0, 0};
  EXPECT_FALSE(wants_page(Pages::abnormal, result));
}

}  // namespace
}  // namespace beatscan
