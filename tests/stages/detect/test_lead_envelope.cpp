// The limits that detection clamps a signal to, by hand.
#include "stages/detect/lead_envelope.h"

#include <gtest/gtest.h>

#include "kernels/detect/beats.h"

namespace beatscan {
namespace {

std::vector<BlockFacts> blocks_of(int usual, int far, int still = 0) {
  std::vector<BlockFacts> facts(static_cast<std::size_t>(usual), BlockFacts{.min = -1, .max = 1, .samples = 500});
  facts.insert(facts.end(), static_cast<std::size_t>(far), BlockFacts{.min = -1, .max = 50, .samples = 500});
  facts.insert(facts.end(), static_cast<std::size_t>(still), BlockFacts{.min = 7, .max = 7, .samples = 500});
  return facts;
}

TEST(LimitsOfALead, AreThreeTypicalRangesFromTheMiddle) {
  const auto limits = limits_of(blocks_of(99, 1));
  ASSERT_TRUE(limits);
  EXPECT_EQ(limits->low, -6);
  EXPECT_EQ(limits->high, 6);
}

TEST(LimitsOfALead, AreForAtMostATenthOfTheBlocks) {
  EXPECT_FALSE(limits_of(blocks_of(100, 0)));
  EXPECT_TRUE(limits_of(blocks_of(90, 10)));
  EXPECT_FALSE(limits_of(blocks_of(89, 11)));
  EXPECT_FALSE(limits_of({}));
}

// Most of a recording is missing, and nothing moves there.
TEST(LimitsOfALead, AreOfBlocksThatMove) {
  EXPECT_FALSE(limits_of(blocks_of(30, 0, 1000)));
  const auto limits = limits_of(blocks_of(30, 2, 1000));
  ASSERT_TRUE(limits);
  EXPECT_EQ(limits->high, 6);
  EXPECT_FALSE(limits_of(blocks_of(0, 0, 10)));
}

}  // namespace
}  // namespace beatscan
