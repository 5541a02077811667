#include "stages/waves/waves.h"

#include <gtest/gtest.h>

namespace beatscan {
namespace {

TEST(AveragingGroups, ArePrematureBeatsOfATemplateApart) {
  const std::vector<std::uint8_t> template_of = {0, 1, 0, 0}, premature = {1, 0, 0, 1, 1};
  const std::vector<std::int64_t> kept = {0, 1, 3, 4};
  EXPECT_EQ(averaging_groups(template_of, kept, premature), (std::vector<std::int32_t>{1, 2, -1, 1, 1}));
}

}  // namespace
}  // namespace beatscan
