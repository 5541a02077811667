#include "stages/common/number_text.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace beatscan {
namespace {

TEST(NumberText, IsThatOfPrintfInTheLocaleC) {
  for (const double value :
       {0.0, 360.0, 359.9999999, 0.1, -1.5, 1e-7, 123456789.0, 1e20, 5e-324, 1.7976931348623157e308})
    for (const int digits : {1, 3, 6, 7, 9, 12, 17}) {
      char expected[64];
      std::snprintf(expected, sizeof expected, "%.*g", digits, value);
      EXPECT_EQ(number_text(value, digits), expected);
    }
}

}  // namespace
}  // namespace beatscan
