#include "app/pipeline/sample_rate.h"

#include <gtest/gtest.h>

#include "tests/support/small_result.h"

namespace beatscan {
namespace {

InputFacts input_in(const std::string& unit, float min, float max) {
  InputFacts input = small_result().input;
  input.leads[0].unit = unit;
  input.range = {min, max};
  return input;
}

TEST(UnitWarning, IsOfThePublishedMethodAlone) {
  EXPECT_EQ(unit_uncertainty(input_in("uV", -500, 1500), Method::r_peaks), "");
  EXPECT_EQ(unit_uncertainty(input_in("uV", -500, 1500), Method::published),
            "the published method needs samples in mV, and these are in uV; convert them");
}

TEST(UnitWarning, WithoutAUnitTheRangeDecides) {
  EXPECT_EQ(unit_uncertainty(input_in("", -0.5F, 1.5F), Method::published), "");
  EXPECT_EQ(unit_uncertainty(input_in("mV", -500, 1500), Method::published), "") << "its unit is specified";
  EXPECT_NE(unit_uncertainty(input_in("", -500, 1500), Method::published).find("from -500 to 1500 look like uV"),
            std::string::npos);
}

}  // namespace
}  // namespace beatscan
