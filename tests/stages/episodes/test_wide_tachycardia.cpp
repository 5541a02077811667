#include "stages/episodes/wide_tachycardia.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "stages/episodes/episode.h"
#include "stages/episodes/episode_options.h"

namespace beatscan {
namespace {

// Ten V beats at 200 a minute and 100 Hz.
class WideTachycardia : public testing::Test {
 protected:
  bool is_one() const {
    return is_wide_tachycardia({r_peaks_, kinds_, quality_, broken_, 100},
                               {.start = 0, .end = end_, .label = EpisodeLabel::ventricular_fibrillation}, {});
  }
  double end_ = 300;
  std::vector<double> r_peaks_{10, 40, 70, 100, 130, 160, 190, 220, 250, 280};
  std::vector<Kind> kinds_ = std::vector<Kind>(10, Kind::ventricular);
  std::vector<Quality> quality_ = std::vector<Quality>(10, Quality::noisy);
  std::vector<std::uint8_t> broken_ = std::vector<std::uint8_t>(9, 0);
};

TEST_F(WideTachycardia, HasVBeats) {
  std::fill(kinds_.begin(), kinds_.begin() + 4, Kind::unknown);
  EXPECT_TRUE(is_one());
  kinds_[4] = Kind::unknown;
  EXPECT_FALSE(is_one()) << "five of ten";
}

TEST_F(WideTachycardia, IsRegular) {
  r_peaks_ = {10, 20, 70, 80, 130, 140, 190, 200, 250, 260};
  EXPECT_FALSE(is_one());
}

TEST_F(WideTachycardia, IsNotAsFastAsFlutter) {
  for (double& at : r_peaks_) at *= 0.84;
  EXPECT_TRUE(is_one()) << "238 a minute";
  for (double& at : r_peaks_) at *= 0.98;
  EXPECT_FALSE(is_one()) << "243 a minute";
}

// Torsades de pointes has beats where its waves are largest, now and then.
TEST_F(WideTachycardia, IsFastThroughout) {
  end_ = 380;
  EXPECT_FALSE(is_one()) << "beats in a part of it";
  for (double& at : r_peaks_) at *= 1.9;
  end_ = 600;
  EXPECT_TRUE(is_one()) << "105 a minute";
  for (double& at : r_peaks_) at *= 1.1;
  EXPECT_FALSE(is_one()) << "96 a minute";
}

TEST_F(WideTachycardia, NeedsThreeBeats) {
  r_peaks_ = {10, 40, 500, 600, 700, 800, 900, 1000, 1100, 1200};
  end_ = 60;
  EXPECT_FALSE(is_one());
  r_peaks_[2] = 70, end_ = 80;
  EXPECT_TRUE(is_one());
}

// Regular beats of whatever kind are beats, and no fibrillation.
TEST_F(WideTachycardia, RegularBeatsOfAnyKindAreNoFibrillation) {
  const Episode episode{.start = 0, .end = 320, .label = EpisodeLabel::ventricular_fibrillation};
  const auto is_regular = [&] { return has_regular_beats({r_peaks_, kinds_, quality_, broken_, 100}, episode, {}); };
  std::fill(kinds_.begin(), kinds_.end(), Kind::normal);
  EXPECT_TRUE(is_regular());
  r_peaks_[4] += 6;
  EXPECT_TRUE(is_regular()) << "by 0.094";
  r_peaks_[4] += 2;
  EXPECT_FALSE(is_regular());
}

TEST_F(WideTachycardia, RegularBeatsCoverTheEpisode) {
  const auto covers = [&](double end) {
    return has_regular_beats({r_peaks_, kinds_, quality_, broken_, 100}, {.start = 0, .end = end}, {});
  };
  EXPECT_TRUE(covers(374));
  EXPECT_FALSE(covers(376)) << "ten beats of 30 are less than 0.8 of it";
}

}  // namespace
}  // namespace beatscan
