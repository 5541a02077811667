// Reads ISHNE files: those of tests/reference/ishne.py, value for value, and the warnings about them.
#include "stages/io/ishne/ishne_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "stages/io/csv/ingest_options.h"
#include "stages/io/input.h"
#include "stages/io/recording/leads.h"
#include "tests/paths/paths.h"
#include "tests/support/backends.h"
#include "tests/support/compressed.h"
#include "tests/support/ishne_files.h"
#include "tests/support/read_npy.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;
const fs::path kReference = fs::path(source_folder()) / "tests/reference/expected/ishne";

template <class Context>
class IshneFiles : public OnBackend<Context> {
 protected:
  Recording<Context> read_path(const fs::path& path, const std::string& lead = "") {
    const IngestOptions options{.column = lead};
    return read_recording(this->context(), resolve_input(path, options), options);
  }
  Recording<Context> read(const IshneFile& file, const std::string& lead = "") {
    return read_path(folder_.write("x.ecg", bytes_of(file)), lead);
  }
  std::vector<float> values(const IshneFile& file, const std::string& lead = "") {
    return to_host(this->context(), read(file, lead).leads.front().samples);
  }

  // Each lead of the reference file: the same samples, bit for bit, where there is one; gaps if there is none.
  std::vector<std::string> expect_as_reference(const std::string& name, std::size_t leads) {
    std::vector<std::string> warnings;
    for (std::size_t lead = 0; lead < leads; ++lead) {
      SCOPED_TRACE(name + ", lead " + std::to_string(lead));
      auto expected = read_npy<float>(kReference / (name + "_" + std::to_string(lead) + ".npy")).values;
      const LeadChoice choice{.one = std::to_string(lead)};
      const auto source = ishne_source(std::make_shared<const InputFile>(kReference / (name + ".ecg")), choice);
      std::vector<float> decoded(static_cast<std::size_t>(source.samples));
      const std::span<float> block = decoded;
      source.read({&block, 1});
      EXPECT_EQ(bits_of(decoded), bits_of(expected));
      const auto recording = read_path(kReference / (name + ".ecg"), std::to_string(lead));
      const auto samples = to_host(this->context(), recording.leads.front().samples);
      if (samples.size() != expected.size()) {
        ADD_FAILURE() << samples.size() << " samples";
        continue;
      }
      std::int64_t missing = 0;
      for (std::size_t i = 0; i < samples.size(); ++i) {
        missing += std::isnan(expected[i]);
        EXPECT_TRUE(std::isnan(expected[i]) ? std::isfinite(samples[i]) : samples[i] == expected[i]) << i;
      }
      EXPECT_EQ(recording.leads.front().missing, missing);
      warnings = recording.signal.warnings;
    }
    return warnings;
  }
  TemporaryFolder folder_;
};
TYPED_TEST_SUITE(IshneFiles, Backends, BackendNames);

TYPED_TEST(IshneFiles, ValuesOfTheReference) {
  const std::vector<std::string> none;
  EXPECT_EQ(this->expect_as_reference("one_lead", 1), none);
  EXPECT_EQ(this->expect_as_reference("two_leads", 2), none);
  EXPECT_EQ(this->expect_as_reference("total_count", 3), none) << "the count may be that of all leads together";
  EXPECT_EQ(this->expect_as_reference("twelve_leads", 12), none) << "the checksum's bytes may be in either order";
}

TYPED_TEST(IshneFiles, ACountThatTheFileDoesNotConfirm) {
  using Warnings = std::vector<std::string>;
  EXPECT_EQ(this->expect_as_reference("no_count", 2), Warnings{"byte 14: the header states 0 samples of each lead, "
                                                               "and the file holds 101: all of these are read"});
  EXPECT_EQ(this->expect_as_reference("most_count", 3),
            Warnings{"byte 14: the header states 17280000 samples of each lead, and the file holds 101: all of these "
                     "are read; the file may be cut off"});
  EXPECT_EQ(this->read({.count = 2}).signal.warnings.size(), 1u);
  EXPECT_EQ(this->values({.count = 2}, "V1"), (std::vector<float>{0.005f, 0.01f, 0.015f}));
}

TYPED_TEST(IshneFiles, SayWhatTheyAre) {
  const auto recording = this->read_path(kReference / "twelve_leads.ecg");
  const auto& signal = recording.signal;
  EXPECT_EQ(signal.format, "ISHNE");
  EXPECT_EQ(signal.names,
            (std::vector<std::string>{"I", "II", "III", "aVR", "aVL", "aVF", "V1", "V2", "V3", "V4", "V5", "V6"}));
  EXPECT_EQ(signal.name, "I");
  EXPECT_EQ(signal.unit, "mV");
  EXPECT_EQ(signal.sample_rate_hz, 1000);
  EXPECT_EQ(signal.rate_origin, RateOrigin::header);
  EXPECT_EQ(recording.bytes, 522 + 101 * 12 * 2);
}

TYPED_TEST(IshneFiles, TheLeadIsChosenByNameOrPosition) {
  EXPECT_EQ(this->values({}), (std::vector<float>{0.005f, 0.015f, 0.025f}));
  EXPECT_EQ(this->values({}, "V1"), (std::vector<float>{0.005f, 0.01f, 0.015f}));
  EXPECT_EQ(this->values({}, "1"), (std::vector<float>{0.005f, 0.01f, 0.015f}));
  EXPECT_EQ(this->read({.codes = {4, kIshneV1}}).signal.name, "Z") << "all that the standard names are read";
  EXPECT_EQ(this->read({.codes = {-9, 0}}).signal.name, "unknown") << "not one that is absent";
  const auto absent = this->read({.codes = {-9, -9}, .resolutions_nv = {0, 7}}).signal;
  ASSERT_EQ(absent.warnings.size(), 1u);
  EXPECT_NE(absent.warnings[0].find("calls all leads absent, and the file holds samples: lead 1 is read"),
            std::string::npos)
      << absent.warnings[0];
  EXPECT_EQ(this->read({.codes = {0, 0}, .resolutions_nv = {0, 7}}).samples(), 3) << "not one without resolution";
  EXPECT_EQ(this->read({.codes = {20, 27}}).signal.names, (std::vector<std::string>{"code 20", "code 27"}));
}

TYPED_TEST(IshneFiles, LeadsOfNoNameAreAllRead) {
  const auto recording = this->read({.codes = {0, 0}});
  EXPECT_EQ(recording.leads.size(), 2u);
  ASSERT_FALSE(recording.signal.warnings.empty());
  EXPECT_TRUE(recording.signal.warnings.back().starts_with(
      "no lead is named like an ECG: 'unknown', 'unknown' are taken for its leads"))
      << recording.signal.warnings.back();
}

TYPED_TEST(IshneFiles, ALeadFaultIsMissing) {
  const auto recording = this->read({.samples = {100, 0, -32768, 0, 300, 0, -32767, 0}});
  EXPECT_EQ(recording.leads.front().missing, 1);
  EXPECT_EQ(to_host(this->context(), recording.leads.front().samples),
            (std::vector<float>{0.5f, 1.0f, 1.5f, -163.835f}));
}

TYPED_TEST(IshneFiles, AMissingRateMayBeGiven) {
  for (const int rate : {0, -9}) {
    const auto signal = this->read({.rate_hz = rate}).signal;
    EXPECT_EQ(signal.sample_rate_hz, std::nullopt);
    EXPECT_EQ(signal.rate_origin, RateOrigin::none);
    EXPECT_EQ(signal.no_rate_because, "the header does not specify it");
  }
}

TYPED_TEST(IshneFiles, AChecksumThatDoesNotFitIsAWarning) {
  const auto warnings = this->read({.checksum = 0x1234}).signal.warnings;
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(warnings[0].starts_with("byte 8: the header's checksum is 0x1234 and its bytes give 0x")) << warnings[0];
}

// Blocks are of a file's bytes: their ends must not show.
TYPED_TEST(IshneFiles, OfManyBlocks) {
  IshneFile file{.codes = {5, 6, 7}, .resolutions_nv = {1000, 1000, 1000}, .samples = {}};
  std::vector<float> expected;
  for (int i = 0; i < 300'000; ++i) {
    const int sample = i * 7 % 65535 - 32767;
    for (const int value : {1, sample, 2}) file.samples.push_back(value);
    expected.push_back(static_cast<float>(sample / 1000.0));
  }
  EXPECT_TRUE(this->values(file, "II") == expected);
}

TYPED_TEST(IshneFiles, MayBeNamedAsCsvOrPacked) {
  const std::vector<float> expected = {0.005f, 0.015f, 0.025f};
  for (const auto& path :
       {this->folder_.write("x.csv", bytes_of(IshneFile{})), this->folder_.write("x", bytes_of(IshneFile{})),
        this->folder_.write("x.ecg.gz", gzip(bytes_of(IshneFile{}))),
        this->folder_.write("x.ecg.zst", zstd(bytes_of(IshneFile{})))}) {
    const auto recording = this->read_path(path);
    EXPECT_EQ(recording.signal.format, "ISHNE") << path;
    EXPECT_EQ(to_host(this->context(), recording.leads.front().samples), expected) << path;
  }
}

TYPED_TEST(IshneFiles, TextNamedEcgIsStillCsv) {
  const auto look = [&](const std::string& text) {
    return look_at(resolve_input(this->folder_.write("x.ecg", text), {}), {}).format;
  };
  EXPECT_EQ(look("mV\n1\n2\n"), "CSV");
  EXPECT_EQ(look("1"), "CSV");
}

TYPED_TEST(IshneFiles, AllLeadsThatAreEcg) {
  const auto recording = this->read({.codes = {kIshneII, 4, -9, kIshneV1, 8},
                                     .resolutions_nv = {1000, 1000, 1000, 500, 0},
                                     .samples = {1, 2, 3, 4, 5, 11, 12, 13, 14, 15}});
  ASSERT_EQ(recording.leads.size(), 3u) << "not the one that is absent, not the one without resolution";
  EXPECT_EQ(recording.leads[0].name, "II");
  EXPECT_EQ(to_host(this->context(), recording.leads[0].samples), (std::vector<float>{0.001f, 0.011f}));
  EXPECT_EQ(recording.leads[1].name, "Z");
  EXPECT_EQ(to_host(this->context(), recording.leads[1].samples), (std::vector<float>{0.002f, 0.012f}));
  EXPECT_EQ(recording.leads[2].name, "V1");
  EXPECT_EQ(to_host(this->context(), recording.leads[2].samples), (std::vector<float>{0.002f, 0.007f}));
  const auto vectors =
      this->read({.codes = {2, 3, 4, 0}, .resolutions_nv = {1, 1, 1, 1}, .samples = {1, 2, 3, 4, 5, 6, 7, 8}});
  ASSERT_EQ(vectors.leads.size(), 3u) << "X, Y and Z, and not one that is unknown";
  EXPECT_EQ(vectors.leads[2].name, "Z");
}

TYPED_TEST(IshneFiles, SpecifyTheTimeOfDay) {
  const std::chrono::year_month_day day{std::chrono::year(2026), std::chrono::November, std::chrono::day(21)};
  EXPECT_EQ(this->read({.date = {21, 11, 2026}, .time = {10, 1, 2}}).signal.start, (StartTime{36062, day}));
  EXPECT_EQ(this->read({.date = {-9, -9, -9}, .time = {10, 1, 2}}).signal.start, (StartTime{36062}));
  EXPECT_EQ(this->read({}).signal.start, std::nullopt);
  EXPECT_EQ(this->read({.date = {21, 11, 2026}, .time = {-9, -9, -9}}).signal.start, std::nullopt);
}

}  // namespace
}  // namespace beatscan
