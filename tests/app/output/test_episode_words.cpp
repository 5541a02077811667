#include "app/output/summary_text.h"

#include <gtest/gtest.h>

#include "stages/rhythm/episode.h"

namespace beatscan {
namespace {

TEST(EpisodeWords, SayWhatIsInPoorSignal) {
  const RhythmBeats beats{.sample_rate_hz = 100};
  RhythmFindings findings;
  findings.af.assessed_s = 60;
  const auto says = [&] { return episode_figures(beats, findings); };
  EXPECT_EQ(says(), "none");
  findings.episodes.list = {
      {0, 300, EpisodeLabel::ventricular_tachycardia, 3},
      {400, 700, EpisodeLabel::ventricular_tachycardia, 3, 1, Quality::noisy},
      {1000, 1500, EpisodeLabel::pause, 2, 0.25, Quality::noisy},
      {1000, 1500, EpisodeLabel::asystole, 2, 0.25, Quality::noisy},
      {2000, 2400, EpisodeLabel::noise, 0, 1, Quality::noisy},
  };
  EXPECT_EQ(says(),
            "VT 2 (6 s, 1 in poor signal), PAUSE 1 (in poor signal, low confidence 0.25), "
            "ASYS 1 (5 s, in poor signal, low confidence 0.25), NOISE 1 (4 s)");
}

}  // namespace
}  // namespace beatscan
