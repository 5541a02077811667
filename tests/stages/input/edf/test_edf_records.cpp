// What the data records of an EDF or BDF file deserve a warning for.
#include "stages/input/edf/edf_records.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "stages/input/input.h"
#include "tests/stages/input/edf/edf_bytes.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

class EdfDataRecords : public testing::Test {
 protected:
  std::vector<std::string> warnings_of(const std::string& bytes) {
    return read_recording(cpu_, resolve_input(folder_.write("x.edf", bytes), {}), {}).signal.warnings;
  }
  TemporaryFolder folder_;
  Cpu cpu_;
};

// EDFlib clips samples to the digital range of the header.
TEST_F(EdfDataRecords, SamplesOutsideTheDigitalRangeAreCounted) {
  const Edf narrow{{{.digital_min = -500, .digital_max = 500}}};
  const auto warnings = [&](const Edf& edf, const std::vector<int>& data) { return warnings_of(bytes_of(edf, data)); };
  EXPECT_EQ(warnings(narrow, {1, 501, -501, 500, -500, -2000, 3, 4}),
            std::vector<std::string>{"signal 'ECG II': 3 samples lie outside the header's digital range, -500 to 500, "
                                     "and are clipped to it; correct the header if the range is wrong"});
  EXPECT_TRUE(warnings(narrow, {500, -500, 0, 1}).empty());
  EXPECT_TRUE(warnings({}, {32767, -32768, 0, 1}).empty());
  const Edf bdf{{{.digital_min = -70'000, .digital_max = 70'000}}, "24BIT", "1", "", true};
  EXPECT_EQ(warnings(bdf, {70'000, -70'001, 70'001, 1}).size(), 1u);
}

// Each data record of EDF+ tells when it begins.
TEST_F(EdfDataRecords, AnInterruptionThatTheHeaderDeniesIsAWarning) {
  const auto warnings = [&](const std::vector<std::string>& onsets) {
    std::vector<int> data;
    for (const auto& onset : onsets) {
      data.insert(data.end(), {1, 2, 3, 4});
      std::string annotation = "+" + onset + "\x14\x14";
      annotation.resize(16, '\0');
      for (std::size_t i = 0; i < annotation.size(); i += 2) data.push_back(annotation[i] | annotation[i + 1] << 8);
    }
    const Edf edf{
        {{}, {.label = "EDF Annotations", .unit = "", .physical_min = "-1", .physical_max = "1", .samples = 8}},
        "EDF+C"};
    return warnings_of(bytes_of(edf, data));
  };
  EXPECT_TRUE(warnings({"0", "1", "2", "3"}).empty());
  EXPECT_TRUE(warnings({"0.25", "1.25", "2.25"}).empty());
  EXPECT_TRUE(warnings({"0", "1.001", "2.002"}).empty()) << "a clock that drifts";
  const auto told = warnings({"0", "1", "12", "13"});
  ASSERT_EQ(told.size(), 1u);
  EXPECT_TRUE(
      told[0].starts_with("data record 2 begins at 12 s, and the one before it ends at 2 s: there is 1 "
                          "interruption, but the header says that there is none"))
      << told[0];
}

}  // namespace
}  // namespace beatscan
