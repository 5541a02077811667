#include "stages/findings/early_in_noise.h"

#include <gtest/gtest.h>

#include <limits>
#include <string_view>
#include <vector>

#include "kernels/runtime/error.h"
#include "stages/findings/finding_options.h"

namespace beatscan {
namespace {

using Marks = std::vector<std::uint8_t>;

Marks marks_of(std::string_view text) {
  Marks marks;
  for (const char c : text) marks.push_back(c == 'x');
  return marks;
}

Marks by_noise(std::string_view early, std::string_view poor, const std::vector<double>& rr) {
  return early_by_noise(rr, marks_of(poor), marks_of(early), {.noise_run = 4, .noise_even = 0.1});
}

Marks by_noise(std::string_view early, std::string_view poor) {
  return by_noise(early, poor, std::vector<double>(early.size(), 100));
}

TEST(EarlyInNoise, OneBeatIsARun) {
  EXPECT_EQ(by_noise(".x..x.", ".x...."), marks_of(".x...."));
  EXPECT_EQ(by_noise("x....x", "x....x"), marks_of("x....x")) << "at the ends";
}

TEST(EarlyInNoise, OfARunMoreThanHalfIsInPoorSignal) {
  EXPECT_EQ(by_noise(".xx.", ".x.."), marks_of("....")) << "half";
  EXPECT_EQ(by_noise(".xxx.", "xx.xx"), marks_of(".x.x.")) << "what is in good signal stays";
}

TEST(EarlyInNoise, ALongEvenRunStays) {
  EXPECT_EQ(by_noise(".xxxx.", "xxxxxx"), marks_of("......"));
  EXPECT_EQ(by_noise(".xxx.", "xxxxx"), marks_of(".xxx."));
  EXPECT_EQ(by_noise("xxxxx", "xxxxx", {100, 90, 110, 100, 50}), marks_of(".....")) << "four fifths are near 100";
  EXPECT_EQ(by_noise("xxxxx", "xxxxx", {100, 88, 110, 100, 50}), marks_of("xxxxx"));
}

TEST(EarlyInNoise, UnknownIntervalsDoNotCount) {
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(by_noise("xxxx", "xxxx", {unknown, 100, 100, 100}), marks_of("...."));
  EXPECT_EQ(by_noise("xxxx", "xxxx", std::vector<double>(4, unknown)), marks_of("xxxx"));
}

TEST(EarlyInNoise, NothingIsEarly) {
  EXPECT_EQ(by_noise("", ""), Marks());
  EXPECT_EQ(by_noise("....", "xxxx"), Marks(4));
}

TEST(EarlyInNoise, BadShapesThrow) {
  EXPECT_THROW(early_by_noise(std::vector<double>(2), Marks(2), Marks(3), {}), Error);
}

}  // namespace
}  // namespace beatscan
