// Reads WFDB records as Python's package wfdb does; see tests/reference/wfdb_records.py.
#include "stages/io/wfdb/wfdb_record.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "stages/io/input.h"
#include "tests/support/wfdb_records.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

TYPED_TEST_SUITE(WfdbRecords, Backends, BackendNames);

TYPED_TEST(WfdbRecords, EveryFormat) {
  for (const char* name : {"f80", "f212", "f16", "f24", "f32", "f508", "f516", "f524"}) this->expect_as_wfdb(name, 3);
  for (const char* name : {"f61", "f160", "f310", "f311"})
    for (std::size_t leads = 1; leads <= 3; ++leads)
      this->expect_as_wfdb(std::string(name) + "_" + std::to_string(leads), leads);
  this->expect_as_wfdb("f8", 2);
}

TYPED_TEST(WfdbRecords, EveryLayout) {
  for (const char* name : {"two_rates", "two_rates_310", "late_start", "skewed"}) this->expect_as_wfdb(name, 2);
  for (const char* name : {"no_length", "no_gain", "scientific_gain"}) this->expect_as_wfdb(name, 1);
}

TYPED_TEST(WfdbRecords, Segments) {
  this->expect_as_wfdb("fixed", 2);
  this->expect_as_wfdb("variable", 2);
  EXPECT_EQ(resolve_input(kWfdbRecords / "variable", {}).parts.size(), 8u) << "five headers and three signal files";
  expect_error(ErrorKind::unanalysable, "variable.hea: lead 'ABP' was recorded for 0 of 600 samples; choose another",
               [&] { this->read(kWfdbRecords / "variable", "ABP"); });
}

TYPED_TEST(WfdbRecords, SayWhatTheyAre) {
  const auto signal = this->read(kWfdbRecords / "ecg.hea").signal;
  EXPECT_EQ(signal.format, "WFDB");
  EXPECT_EQ(signal.names, (std::vector<std::string>{"ABP", "MLII"}));
  EXPECT_EQ(signal.name, "MLII") << "the first that is an ECG";
  EXPECT_EQ(signal.unit, "mV");
  EXPECT_EQ(signal.sample_rate_hz, 360);
  EXPECT_EQ(signal.rate_origin, RateOrigin::header);
  EXPECT_EQ(this->read(kWfdbRecords / "ecg", "ABP").signal.unit, "mmHg");
  const auto fast = this->read(kWfdbRecords / "two_rates", "V1").signal;
  EXPECT_EQ(fast.sample_rate_hz, 720);
  EXPECT_EQ(fast.samples_per_frame, 2);
  EXPECT_EQ(this->read(kWfdbRecords / "no_gain").signal.unit, "") << "not calibrated";
  const auto without = this->read(this->record("x 1\nx.dat 80\n", "abcabc")).signal;
  EXPECT_EQ(without.sample_rate_hz, std::nullopt);
  EXPECT_EQ(without.no_rate_because, "the header does not specify it");
}

TYPED_TEST(WfdbRecords, ARecordOfManyBlocks) {
  std::string data;
  std::vector<float> expected;
  int sum = 0;
  for (int i = 0; i < 4'300'000; ++i) {  // more samples of a lead than a block has
    const int a = i * 31 % 4095 - 2047, b = i * 17 % 4095 - 2047;
    data += static_cast<char>(a & 0xff);
    data += static_cast<char>((a >> 8 & 15) | (b >> 8 & 15) << 4);
    data += static_cast<char>(b & 0xff);
    sum += b;
    expected.push_back(static_cast<float>(b / 200.0));
  }
  std::vector<std::int64_t> reports;
  const IngestOptions options{.column = "1"};
  const std::string checksum = std::to_string(sum & 0xffff);
  const auto path = this->record("x 2 360 4300000\nx.dat 212 200\nx.dat 212 200 12 0 0 " + checksum + " 0 II\n", data);
  const auto recording = read_recording(this->context(), resolve_input(path, options), options,
                                        [&](std::int64_t done, std::int64_t) { reports.push_back(done); });
  EXPECT_TRUE(to_host(this->context(), recording.leads.front().samples) == expected);
  EXPECT_EQ(reports.size(), 2u);
  EXPECT_TRUE(std::ranges::is_sorted(reports));
  EXPECT_EQ(reports.back(), std::ssize(data) + std::ssize(contents_of(path)));
  struct Stop {};
  EXPECT_THROW(read_recording(this->context(), resolve_input(path, options), options, [](auto, auto) { throw Stop(); }),
               Stop);
}

TYPED_TEST(WfdbRecords, WarnsOfSamplesThatTheHeaderDoesNotCount) {
  const std::string samples(2 * 200, 'a');
  const auto warnings = [&](const std::string& header) {
    return this->read(this->record(header, samples)).signal.warnings;
  };
  EXPECT_EQ(warnings("x 2 30 50\nx.dat 80\nx.dat 80\n"),
            std::vector<std::string>{"the header states 50 samples of each lead, and 'x.dat' holds 200: the others are "
                                     "not read; correct the header if they belong to the recording"});
  EXPECT_TRUE(warnings("x 2 30 170\nx.dat 80\nx.dat 80\n").empty()) << "a second may be padding";
  EXPECT_TRUE(warnings("x 2 30 200\nx.dat 80\nx.dat 80\n").empty());
  EXPECT_TRUE(warnings("x 2 30\nx.dat 80\nx.dat 80\n").empty()) << "all are read";
}

TYPED_TEST(WfdbRecords, AWrongChecksumIsDamage) {
  const std::string data(100, '\1');  // 100 samples of -127, whose sum is -12,700
  EXPECT_EQ(this->read(this->record("x 1 360 100\nx.dat 80 200 8 0 0 -12700 0 I\n", data)).samples(), 100);
  EXPECT_EQ(this->read(this->record("x 1 360 100\nx.dat 80 200 8 0 0 52836 0 I\n", data)).samples(), 100);
  EXPECT_EQ(this->read(this->record("x 1 360 100\nx.dat 80 200 8 0 0 0 0 I\n", data)).samples(), 100);
  this->expect_refused("x.dat: is damaged: the sum of signal 'I' is 52836 and its checksum 52837 (modulo 65536)",
                       this->record("x 1 360 100\nx.dat 80 200 8 0 0 -12699 0 I\n", data));
}

TYPED_TEST(WfdbRecords, ACutOffSignalIsNeverAShorterOne) {
  this->expect_refused("x.dat: is cut off: it has 299 bytes, and the header says 100 frames of 2 samples in format 212",
                       this->record("x 2 360 100\nx.dat 212\nx.dat 212\n", std::string(299, '\1')));
  this->expect_refused("x.dat: is cut off: it has 7 bytes, and they end within a frame of 2 samples",
                       this->record("x 2 360\nx.dat 16\nx.dat 16\n", "1234567"));
  this->expect_refused("x.dat: is cut off: it has 1000 bytes, and the header says 1000 frames",
                       this->record("x 1 360 1000\nx.dat 80+1\n"));
  this->expect_refused("is cut off", this->record("x 1 360 1000000000000000\nx.dat 16x1048576\n"));
  for (const char* name : {"f516", "f24"}) {
    std::string data = contents_of(kWfdbRecords / (std::string(name) + ".dat"));
    this->folder_.write(std::string(name) + ".hea", contents_of(kWfdbRecords / (std::string(name) + ".hea")));
    for (const std::size_t size : {std::size_t{0}, std::size_t{3}, data.size() / 2, data.size() - 1}) {
      this->folder_.write(std::string(name) + ".dat", data.substr(0, size));
      expect_error(ErrorKind::input, std::string(name) + ".dat: ", [&] { this->read(this->folder_.path() / name); });
    }
  }
}

TYPED_TEST(WfdbRecords, DamagedFlacFilesAreRefused) {
  const std::string data = contents_of(kWfdbRecords / "f516.dat");
  this->folder_.write("f516.hea", contents_of(kWfdbRecords / "f516.hea"));
  for (std::size_t at = 42; at < data.size(); at += 61) {  // 42: the end of the description of the stream
    SCOPED_TRACE(at);
    std::string damaged = data;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    this->folder_.write("f516.dat", damaged);
    try {
      const auto samples = to_host(this->context(), this->read(this->folder_.path() / "f516").leads.front().samples);
      EXPECT_EQ(samples, to_host(this->context(), this->read(kWfdbRecords / "f516").leads.front().samples))
          << "no sample was touched";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input) << error.what();
    }
  }
}

TYPED_TEST(WfdbRecords, HeadersThatDoNotFitTheirFlacFile) {
  this->folder_.write("f516.dat", contents_of(kWfdbRecords / "f516.dat"));
  const auto expect_header_refused = [&](const std::string& part, const std::string& header) {
    this->expect_refused("f516.dat: " + part, this->folder_.write("y.hea", header));
  };
  expect_header_refused("has 3 channels of 16 bits where the header says 1 in format 516",
                        "y 1 360 401\nf516.dat 516\n");
  expect_header_refused("has 3 channels of 16 bits where the header says 3 in format 508",
                        "y 3 360 401\nf516.dat 508\nf516.dat 508\nf516.dat 508\n");
  expect_header_refused("is cut off: ", "y 3 360 402\nf516.dat 516\nf516.dat 516\nf516.dat 516\n");
  expect_header_refused("is cut off: ", "y 3 360 401\nf516.dat 516+1\nf516.dat 516+1\nf516.dat 516+1\n");
  this->expect_refused("signals of one FLAC file, 'f516.dat', differ in samples per frame",
                       this->folder_.write("y.hea", "y 2 360 401\nf516.dat 516\nf516.dat 516x2\n"));
  this->expect_refused("x.dat: is no FLAC file", this->record("x 1 360 100\nx.dat 516\n"));
  std::string claims = contents_of(kWfdbRecords / "f516.dat");
  for (int byte = 22; byte < 26; ++byte)
    claims[static_cast<std::size_t>(byte)] = '\xff';  // 22 to 25: number of samples
  this->folder_.write("f516.dat", claims);
  expect_header_refused("claims 4294967295 samples, more than its bytes can hold",
                        "y 3 360\nf516.dat 516\nf516.dat 516\nf516.dat 516\n");
}

TEST(WfdbPaths, ARecordIsNamedWithOrWithoutItsEnding) {
  const TemporaryFolder folder;
  const auto header = folder.write("100.hea", "");
  EXPECT_EQ(wfdb_header_of(header), header);
  EXPECT_EQ(wfdb_header_of(folder.path() / "100"), header);
  EXPECT_EQ(wfdb_header_of(folder.path() / "101"), std::nullopt);
  EXPECT_EQ(wfdb_header_of("-"), std::nullopt);
  fs::create_directory(folder.path() / "100");
  EXPECT_EQ(wfdb_header_of(folder.path() / "100"), header) << "a folder is no recording";
  const auto file = folder.write("x", "mV\n1\n");
  folder.write("x.hea", "");
  EXPECT_EQ(wfdb_header_of(file), std::nullopt) << "a file of this very name comes first";
}

// Differences have no value that stands for a missing sample, so -1 is a sample like any other.
TYPED_TEST(WfdbRecords, Format8HasNoMissingSamples) {
  const auto recording = this->read(this->record("x 1 360 6\nx.dat 8 1\n", std::string("\0\xff\0\1\xfe\1", 6)));
  EXPECT_EQ(recording.leads.front().missing, 0);
  EXPECT_EQ(to_host(this->context(), recording.leads.front().samples), (std::vector<float>{0, -1, -1, 0, -2, -1}));
}

// A writer may fill up the last group with zeros. Other samples there are those of a frame that was cut off.
TYPED_TEST(WfdbRecords, TheLastGroupMayBePadded) {
  const std::string header = "x 3 360\nx.dat 212\nx.dat 212\nx.dat 212\n", three_frames(12, '\1');
  EXPECT_EQ(this->read(this->record(header, three_frames + std::string("\1\0\0", 3))).samples(), 3);
  this->expect_refused("they end within a frame of 3 samples", this->record(header, three_frames + "\1\1\1"));
  const std::string word("\1\0\1\0", 4);
  EXPECT_EQ(this->read(this->record("x 2 360\nx.dat 311\nx.dat 311\n", word + word + word)).samples(), 4)
      << "nine samples, the last one zero";
}

}  // namespace
}  // namespace beatscan
