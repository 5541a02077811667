#include "stages/rhythm/rhythm_findings.h"

#include <gtest/gtest.h>

namespace beatscan {
namespace {

using Flags = std::vector<std::uint8_t>;

TEST(BeatsWithoutWaves, LieInPoorSignalOrInFibrillation) {
  const std::vector<double> r_peaks{100, 200, 300, 400, 500, 600};
  const std::vector<BeatClass> beat_classes(6, BeatClass{});
  const std::vector<Quality> quality{Quality::good,    Quality::noisy, Quality::good,
                                     Quality::clipped, Quality::good,  Quality::good};
  const Flags broken(5);
  const RhythmBeats beats{r_peaks, beat_classes, quality, broken, 250};
  const auto episode = [](EpisodeLabel label, double start, double end) {
    return Episode{.start = start, .end = end, .label = label};
  };
  EXPECT_EQ(beats_without_waves(beats, {}), (Flags{0, 1, 0, 1, 0, 0}));
  const std::vector fibrillation{episode(EpisodeLabel::ventricular_fibrillation, 450, 500),
                                 episode(EpisodeLabel::ventricular_flutter, 590, 700),
                                 episode(EpisodeLabel::asystole, 100, 300)};
  EXPECT_EQ(beats_without_waves(beats, fibrillation), (Flags{0, 1, 0, 1, 1, 1}));
}

}  // namespace
}  // namespace beatscan
