#include "app/common/partial_file.h"

#include <gtest/gtest.h>

namespace beatscan {
namespace {

TEST(HiddenName, StandsBesideTheResult) {
  EXPECT_EQ(hidden_path("o/x.y", ".claim"), "o/.x.y.claim");
  EXPECT_EQ(hidden_path("x", ".claim"), "./.x.claim");
}

TEST(HiddenName, IdentifiesTheResult) {
  EXPECT_EQ(name_of_hidden(".x.y.claim", ".claim"), "x.y");
  for (const char* other : {"x.claim", ".claim", "claim", "", "..claim.partial-1", ".x.claims"})
    EXPECT_EQ(name_of_hidden(other, ".claim"), "") << other;
}

}  // namespace
}  // namespace beatscan
