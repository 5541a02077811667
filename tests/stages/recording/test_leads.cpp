#include "stages/recording/leads.h"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

TEST(Leads, ByNameOrPosition) {
  const std::vector<Lead> leads = {{"MLII", "mV"}, {"V1", "mV"}, {"1", "mV"}, {"x", "mV"}, {"x", "mV"}};
  EXPECT_EQ(choose_lead(leads, "", "r"), 0u);
  EXPECT_EQ(choose_lead(leads, "V1", "r"), 1u);
  EXPECT_EQ(choose_lead(leads, "3", "r"), 3u);
  EXPECT_EQ(choose_lead(leads, "1", "r"), 2u) << "a name comes first";
  const auto expect_refused = [&](const std::string& part, const std::string& wanted) {
    expect_error(ErrorKind::input, part, [&] { choose_lead(leads, wanted, "r"); });
  };
  expect_refused("r: no lead 'V2'; the leads are 'MLII', 'V1', '1', 'x', 'x'; did you mean 'V1'?", "V2");
  expect_refused("r: no lead at position 5: there are 5, counted from 0", "5");
  expect_refused("r: there are several leads 'x'; choose one by position, counted from 0", "x");
  expect_error(ErrorKind::input, "r: has no signals", [&] { choose_lead({}, "", "r"); });
}

TEST(Leads, TheFirstThatIsAnEcg) {
  EXPECT_EQ(choose_lead({{"RESP", "mV"}, {"ECG II", "uV"}, {"V1", "mV"}}, "", "r"), 1u);
  EXPECT_EQ(choose_lead({{"EEG Fpz-Cz", "uV"}, {"Lead II", "mV"}}, "", "r"), 1u);
  EXPECT_EQ(choose_lead({{"EEG", "uV"}, {"aVR", "mV"}}, "", "r"), 1u);
  EXPECT_EQ(choose_lead({{"ABP", "mmHg"}, {"CH1", "mV"}}, "", "r"), 1u) << "a voltage";
  EXPECT_EQ(choose_lead({{"0", ""}, {"1", ""}}, "", "r"), 0u);
}

}  // namespace
}  // namespace beatscan
