// Tests the warnings on the data records of an EDF or BDF file.
#include "stages/io/edf/edf_records.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "stages/io/csv/ingest_options.h"
#include "stages/io/input.h"
#include "tests/stages/io/edf/edf_bytes.h"
#include "tests/support/expect_error.h"
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
  EXPECT_EQ(warnings(narrow, {501, 1, 2, 3})[0].substr(0, 50), "signal 'ECG II': 1 sample lies outside the header'");
}

// Several threads read blocks of whole records of 1 MiB, of which the last one is shorter.
TEST_F(EdfDataRecords, ManyBlocksAndSignalsAreCounted) {
  const Edf edf{{{.label = "ECG I", .digital_min = -500, .digital_max = 500, .samples = 300},
                 {.label = "Resp", .samples = 100},
                 {.label = "ECG II", .digital_min = -900, .digital_max = 900, .samples = 300}}};
  std::vector<int> data(700 * 2500);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<int>(i % 1999) - 999;
  std::vector<int> outside(2);
  for (std::size_t i = 0; i < data.size(); ++i) {
    outside[0] += i % 700 < 300 && std::abs(data[i]) > 500;
    outside[1] += i % 700 >= 400 && std::abs(data[i]) > 900;
  }
  const auto warnings = warnings_of(bytes_of(edf, data));
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_TRUE(warnings[0].starts_with("signal 'ECG I': " + std::to_string(outside[0]) + " samples lie")) << warnings[0];
  EXPECT_TRUE(warnings[1].starts_with("signal 'ECG II': " + std::to_string(outside[1]) + " samples lie"))
      << warnings[1];
}

TEST_F(EdfDataRecords, AFileThatBecomesShorterIsAnError) {
  const auto path = folder_.write("x.edf", bytes_of({{{}}}, std::vector<int>(400)));
  const InputFile file(path);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  const EdfRecords records{.count = 100, .duration_s = 1, .sample_s = 0.25};
  expect_error(ErrorKind::input, "x.edf: became shorter while it was read", [&] {
    look_through_records(file, records, {{0, "ECG II", -500, 500}});
  });
  EXPECT_TRUE(look_through_records(file, records, {{0, "ECG II", -32768, 32767}}).empty())
      << "nothing can lie outside the full range, so nothing is read";
}

// Each data record of EDF+ has the time at which it begins.
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
  EXPECT_TRUE(warnings({"0.5", "1.4", "2.4", "3.5"}).empty()) << "rounded to tenths";
  const auto found = warnings({"0", "1", "12", "13"});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(
      found[0].starts_with("data record 2 begins at 12 s, and the one before it ends at 2 s: there is 1 "
                           "interruption, but the header says that there is none"))
      << found[0];
  EXPECT_NE(found[0].find("; times after it are too early or too late, and"), std::string::npos) << found[0];
  EXPECT_NE(warnings({"0", "5", "12"})[0].find(": there are 2 interruptions, but"), std::string::npos);
}

}  // namespace
}  // namespace beatscan
