#include "stages/common/counted.h"

#include <gtest/gtest.h>

namespace beatscan {
namespace {

TEST(Counted, OneThingHasNoPlural) {
  EXPECT_EQ(counted(1, "byte"), "1 byte");
  EXPECT_EQ(counted(0, "byte"), "0 bytes");
  EXPECT_EQ(counted(12'345, "byte"), "12345 bytes");
  EXPECT_EQ(counted(1, "recording is", "recordings are"), "1 recording is");
  EXPECT_EQ(counted(2, "recording is", "recordings are"), "2 recordings are");
  EXPECT_EQ(by_count(1, "has", "have") + by_count(2, " has", " have"), "has have");
}

}  // namespace
}  // namespace beatscan
