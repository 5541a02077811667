#include "stages/episodes/wide_tachycardia.h"

#include <gtest/gtest.h>

#include <vector>

namespace beatscan {
namespace {

// Ten V beats of one template at 200 a minute and 100 Hz.
class WideTachycardia : public testing::Test {
 protected:
  bool is_one() const {
    return is_wide_tachycardia({r_peaks_, kinds_, quality_, broken_, 100, templates_},
                               {.start = 0, .end = 400, .label = EpisodeLabel::ventricular_fibrillation}, {});
  }
  std::vector<double> r_peaks_{10, 40, 70, 100, 130, 160, 190, 220, 250, 280};
  std::vector<Kind> kinds_ = std::vector<Kind>(10, Kind::ventricular);
  std::vector<Quality> quality_ = std::vector<Quality>(10, Quality::noisy);
  std::vector<std::uint8_t> broken_ = std::vector<std::uint8_t>(9, 0);
  std::vector<std::int32_t> templates_ = std::vector<std::int32_t>(10, 2);
};

TEST_F(WideTachycardia, HasBeatsOfOneShape) {
  EXPECT_TRUE(is_one());
  templates_ = {1, 1, 1, 1, 2, 2, 2, 2, 2, 2};
  EXPECT_TRUE(is_one());
  templates_[4] = 1;
  EXPECT_FALSE(is_one()) << "five and five";
  templates_.clear();
  EXPECT_FALSE(is_one()) << "templates are not known";
}

TEST_F(WideTachycardia, HasVBeats) {
  std::fill(kinds_.begin(), kinds_.begin() + 5, Kind::unknown);
  EXPECT_FALSE(is_one());
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

TEST_F(WideTachycardia, NeedsThreeBeats) {
  r_peaks_ = {10, 40, 500, 600, 700, 800, 900, 1000, 1100, 1200};
  EXPECT_FALSE(is_one());
}

}  // namespace
}  // namespace beatscan
