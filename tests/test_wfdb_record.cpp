// WFDB records as Python's wfdb reads them, and records that must not be read. See tests/reference/wfdb_records.py.
#include "stages/wfdb_record.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "stages/input.h"
#include "tests/backends.h"
#include "tests/read_npy.h"
#include "tests/temporary_folder.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;
const fs::path kRecords = fs::path(BEATSCAN_SOURCE_DIR) / "tests/reference/expected/wfdb";

template <class Context>
class WfdbRecords : public OnBackend<Context> {
 protected:
  Recording<Context> read(const fs::path& path, const std::string& lead = "") {
    const IngestOptions options{.column = lead};
    return read_recording(this->context(), resolve_input(path, options), options);
  }

  // Every lead: the same samples, bit for bit, where there is one; gaps where there is none.
  void expect_as_wfdb(const std::string& name, std::size_t leads) {
    for (std::size_t lead = 0; lead < leads; ++lead) {
      SCOPED_TRACE(name + ", lead " + std::to_string(lead));
      const auto expected = read_npy<float>(kRecords / (name + "_" + std::to_string(lead) + ".npy")).values;
      const auto recording = read(kRecords / name, std::to_string(lead));
      const auto samples = to_host(this->context(), recording.samples);
      ASSERT_EQ(samples.size(), expected.size());
      std::vector<bool> missing(samples.size());
      const auto firsts = to_host(this->context(), recording.gap_firsts);
      const auto lasts = to_host(this->context(), recording.gap_lasts);
      for (std::size_t gap = 0; gap < firsts.size(); ++gap)
        std::fill(missing.begin() + firsts[gap], missing.begin() + lasts[gap] + 1, true);
      for (std::size_t i = 0; i < samples.size(); ++i) {
        ASSERT_EQ(missing[i], std::isnan(expected[i])) << i;
        ASSERT_TRUE(missing[i] || samples[i] == expected[i]) << i;
      }
      EXPECT_EQ(recording.missing, std::ranges::count_if(expected, [](float value) { return std::isnan(value); }));
    }
  }

  // A record "x" in a folder of its own.
  fs::path record(const std::string& header, const std::string& data = std::string(1000, '\1')) {
    folder_.write("x.dat", data);
    return folder_.write("x.hea", header);
  }
  void expect_refused(const std::string& part, const fs::path& path, const std::string& lead = "") {
    expect_error(Status::input, part, [&] { read(path, lead); });
  }
  TemporaryFolder folder_;
};
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
  EXPECT_EQ(resolve_input(kRecords / "variable", {}).parts.size(), 8u) << "five headers and three signal files";
  expect_error(Status::unanalysable, "variable.hea: lead 'ABP' was recorded for 0 of 600 samples; choose another",
               [&] { this->read(kRecords / "variable", "ABP"); });
}

TYPED_TEST(WfdbRecords, SayWhatTheyAre) {
  const auto signal = this->read(kRecords / "ecg.hea").signal;
  EXPECT_EQ(signal.format, "WFDB");
  EXPECT_EQ(signal.names, (std::vector<std::string>{"ABP", "MLII"}));
  EXPECT_EQ(signal.name, "MLII") << "the first that is an ECG";
  EXPECT_EQ(signal.unit, "mV");
  EXPECT_EQ(signal.sample_rate_hz, 360);
  EXPECT_EQ(signal.rate_origin, RateOrigin::header);
  EXPECT_EQ(this->read(kRecords / "ecg", "ABP").signal.unit, "mmHg");
  const auto fast = this->read(kRecords / "two_rates", "V1").signal;
  EXPECT_EQ(fast.sample_rate_hz, 720);
  EXPECT_EQ(fast.samples_per_frame, 2);
  EXPECT_EQ(this->read(kRecords / "no_gain").signal.unit, "") << "not calibrated";
  const auto without = this->read(this->record("x 1\nx.dat 80\n", "abcabc")).signal;
  EXPECT_EQ(without.sample_rate_hz, std::nullopt);
  EXPECT_EQ(without.no_rate_because, "the header does not tell it");
}

TYPED_TEST(WfdbRecords, ARecordOfManyBlocks) {
  std::string data;
  std::vector<float> expected;
  for (int i = 0; i < 700'000; ++i) {  // two leads: 1.4 M samples in 2.1 MB
    const int a = i * 31 % 4095 - 2047, b = i * 17 % 4095 - 2047;
    data += static_cast<char>(a & 0xff);
    data += static_cast<char>((a >> 8 & 15) | (b >> 8 & 15) << 4);
    data += static_cast<char>(b & 0xff);
    expected.push_back(static_cast<float>(b / 200.0));
  }
  std::vector<std::int64_t> reports;
  const IngestOptions options{.column = "1"};
  const auto path = this->record("x 2 360 700000\nx.dat 212 200\nx.dat 212 200\n", data);
  const auto recording = read_recording(this->context(), resolve_input(path, options), options,
                                        [&](std::int64_t done, std::int64_t) { reports.push_back(done); });
  EXPECT_TRUE(to_host(this->context(), recording.samples) == expected);
  EXPECT_EQ(reports.size(), 3u);
  EXPECT_TRUE(std::ranges::is_sorted(reports));
  EXPECT_EQ(reports.back(), std::ssize(data) + std::ssize(contents_of(path)));
  struct Stop {};
  EXPECT_THROW(read_recording(this->context(), resolve_input(path, options), options, [](auto, auto) { throw Stop(); }),
               Stop);
}

TYPED_TEST(WfdbRecords, AWrongChecksumIsDamage) {
  const std::string data(100, '\1');  // 100 samples of -127: -12,700
  EXPECT_EQ(this->read(this->record("x 1 360 100\nx.dat 80 200 8 0 0 -12700 0 I\n", data)).samples.size(), 100);
  EXPECT_EQ(this->read(this->record("x 1 360 100\nx.dat 80 200 8 0 0 52836 0 I\n", data)).samples.size(), 100);
  EXPECT_EQ(this->read(this->record("x 1 360 100\nx.dat 80 200 8 0 0 0 0 I\n", data)).samples.size(), 100);
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
    std::string data = contents_of(kRecords / (std::string(name) + ".dat"));
    this->folder_.write(std::string(name) + ".hea", contents_of(kRecords / (std::string(name) + ".hea")));
    for (const std::size_t size : {std::size_t{0}, std::size_t{3}, data.size() / 2, data.size() - 1}) {
      this->folder_.write(std::string(name) + ".dat", data.substr(0, size));
      expect_error(Status::input, std::string(name) + ".dat: ", [&] { this->read(this->folder_.path() / name); });
    }
  }
}

TYPED_TEST(WfdbRecords, DamagedFlacFilesAreRefused) {
  const std::string data = contents_of(kRecords / "f516.dat");
  this->folder_.write("f516.hea", contents_of(kRecords / "f516.hea"));
  for (std::size_t at = 42; at < data.size(); at += 61) {  // behind the description of the stream
    SCOPED_TRACE(at);
    std::string damaged = data;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    this->folder_.write("f516.dat", damaged);
    try {
      const auto samples = to_host(this->context(), this->read(this->folder_.path() / "f516").samples);
      EXPECT_EQ(samples, to_host(this->context(), this->read(kRecords / "f516").samples)) << "no sample was touched";
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::input) << error.what();
    }
  }
}

TYPED_TEST(WfdbRecords, HeadersThatDoNotFitTheirFlacFile) {
  this->folder_.write("f516.dat", contents_of(kRecords / "f516.dat"));
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
  std::string claims = contents_of(kRecords / "f516.dat");
  for (int byte = 22; byte < 26; ++byte) claims[static_cast<std::size_t>(byte)] = '\xff';  // the number of samples
  this->folder_.write("f516.dat", claims);
  expect_header_refused("claims 4294967295 samples, more than its bytes can hold",
                        "y 3 360\nf516.dat 516\nf516.dat 516\nf516.dat 516\n");
}

TYPED_TEST(WfdbRecords, FilesOutsideOfTheHeadersFolderAreNotOpened) {
  for (const std::string name : {"/etc/passwd", "../x.dat", "a/../../x.dat", "-", ".."})
    this->expect_refused("x.hea: '" + name + "' is not a file in the header's folder",
                         this->record("x 1 360 100\n" + name + " 80\n"));
  this->expect_refused("x.hea: '../y.hea' is not a file in the header's folder",
                       this->record("x/1 1 360 100\n../y 100\n"));
  fs::create_directory(this->folder_.path() / "below");
  this->folder_.write("below/x.dat", std::string(100, 'x') + "y");
  EXPECT_EQ(this->read(this->record("x 1 360 101\nbelow/x.dat 80\n")).samples.size(), 101);
}

TYPED_TEST(WfdbRecords, FilesThatAreNotThere) {
  this->expect_refused("nothing.hea: cannot be read: No such file or directory", this->folder_.path() / "nothing.hea");
  this->expect_refused("gone.dat: cannot be read: No such file or directory", this->record("x 1 360 9\ngone.dat 80\n"));
  this->expect_refused("gone.hea: cannot be read: No such file or directory", this->record("x/1 1 360 9\ngone 9\n"));
  fs::create_directory(this->folder_.path() / "d");
  this->expect_refused("d: is no file", this->record("x 1 360 9\nd 80\n"));
  this->expect_refused("x.dat: is a signal file of a WFDB record; give its header, ",
                       this->record("x 1 360 9\nx.dat 80\n").replace_extension(".dat"));
}

TYPED_TEST(WfdbRecords, HeadersThatCannotBe) {
  this->expect_refused("x.dat: has format 17, which is not known", this->record("x 1 360 9\nx.dat 17\n"));
  this->expect_refused("x.hea: has no signals", this->record("x 0 360 9\n"));
  this->expect_refused("x.hea: no signal file holds lead 'I'", this->record("x 1 360 9\n~ 0 200 8 0 0 0 0 I\n"));
  this->expect_refused("x.hea: signals of one file, 'x.dat', differ in format or byte offset",
                       this->record("x 2 360 9\nx.dat 80\nx.dat 16\n"));
  this->expect_refused("x.hea: no lead 'V9'; the leads are 'I', 'II'",
                       this->record("x 2 360 9\nx.dat 80 200 8 0 0 0 0 I\nx.dat 80 200 8 0 0 0 0 II\n"), "V9");
  this->expect_refused("x.hea: is larger than 4194304 bytes: this is no WFDB header",
                       this->record("x 1 360 9\n" + std::string(4 << 20, '#')));
}

TYPED_TEST(WfdbRecords, SegmentsThatCannotBe) {
  const auto with_segment = [&](const std::string& master, const std::string& segment) {
    this->folder_.write("s.dat", std::string(100, 'a') + "b");
    this->folder_.write("s.hea", segment);
    return this->record(master);
  };
  const std::string good = "s 1 360 100\ns.dat 80 200/mV 8 0 0 0 0 I\n";
  EXPECT_EQ(this->read(with_segment("x/2 1 360 150\ns 100\n~ 50\n", good)).samples.size(), 150);
  this->expect_refused("x.hea: has segments of 150 samples together where the record line says 151",
                       with_segment("x/2 1 360 151\ns 100\n~ 50\n", good));
  this->expect_refused("s.hea: has 100 samples where x.hea says 99", with_segment("x/1 1 360 99\ns 99\n", good));
  this->expect_refused("s.hea: has another sampling frequency than x.hea",
                       with_segment("x/1 1 250 100\ns 100\n", good));
  this->expect_refused("s.hea: is a segment and has segments itself",
                       with_segment("x/1 1 360 1\ns 1\n", "s/1 1 360 1\ns 1\n"));
  this->expect_refused("x.hea: has no segment with signals", with_segment("x/1 1 360 100\n~ 100\n", good));
  this->expect_refused("x.hea: claims more than 1000000000000 samples",
                       with_segment("x/2 1 360\ns 100\n~ 999999999999999\n", good));
  expect_error(Status::unanalysable, "x.hea: lead 'I' was recorded for 100 of 100100 samples",
               [&] { this->read(with_segment("x/2 1 360\ns 100\n~ 100000\n", good)); });
  this->folder_.write("t.hea", "t 1 360 1\ns.dat 80 200/uV 8 0 0 0 0 I\n");
  this->expect_refused(
      "t.hea: its signal 'I' differs from 'I' of the segments before in name, unit or samples per frame",
      with_segment("x/2 1 360\ns 100\nt 1\n", good));
}

// A few bytes of header must not stand for any length of signal.
TYPED_TEST(WfdbRecords, ASegmentMayStandThereAgainButNotForEver) {
  this->folder_.write("s.dat", std::string(100, 'a'));
  this->folder_.write("s.hea", "s 1 360 100\ns.dat 80 200/mV 8 0 0 0 0 I\n");
  const auto repeated = [&](int times) {
    std::string master = "x/" + std::to_string(times) + " 1 360\n";
    for (int i = 0; i < times; ++i) master += "s 100\n";
    return this->record(master);
  };
  EXPECT_EQ(this->read(repeated(100)).samples.size(), 10'000);
  this->expect_refused("x.hea: has segment 's' more than 100 times", repeated(101));
}

TYPED_TEST(WfdbRecords, SegmentsThatWereNotRecordedAreOneGap) {
  this->folder_.write("s.dat", std::string(2000, 'a'));
  this->folder_.write("s.hea", "s 1 360 2000\ns.dat 80 200/mV 8 0 0 0 0 I\n");
  std::string master = "x/100000 1 360\ns 2000\n";
  for (int i = 1; i < 100'000; ++i) master += "~ 1\n";
  const auto recording = this->read(this->record(master));
  EXPECT_EQ(recording.samples.size(), 101'999);
  EXPECT_EQ(to_host(this->context(), recording.gap_firsts), (std::vector<std::int64_t>{2000}));
}

// STREAMINFO's 36 bits of samples are patched: what is claimed is looked for before memory is made for it.
TYPED_TEST(WfdbRecords, FlacFilesThatClaimTooMuchAreDecodedFirst) {
  std::string flac = contents_of(kRecords / "f516.dat");
  const std::int64_t claim = 900 * std::ssize(flac);
  for (int i = 0; i < 4; ++i) flac[22 + i] = static_cast<char>(claim >> 8 * (3 - i));
  this->folder_.write("f516.dat", flac);
  this->expect_refused("f516.dat: not a whole FLAC file",
                       this->record("x 3 360\nf516.dat 516\nf516.dat 516\nf516.dat 516\n"));
}

// As the headers of the tests above, but each as large in its claims as can be: refused within the time of one.
TYPED_TEST(WfdbRecords, ClaimsCostNothing) {
  const auto start = std::chrono::steady_clock::now();
  for (const char* header : {"x 1000000000 360 100\nx.dat 80\n", "x/1000000000 1 360 100\nx 100\n",
                             "x 1 360 999999999999999\nx.dat 80\n", "x 1 360 1\nx.dat 16x1048576:999999999999999\n",
                             "x 1 360 1\nx.dat 16+999999999999999\n", "x 1 360 1\nx.dat 80 1e300\n"})
    expect_error(Status::input, "x.", [&] { this->read(this->record(header)); });
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

// Headers with a few bytes changed: read, or refused as what they are, and soon.
TYPED_TEST(WfdbRecords, DamagedHeadersAreReadOrRefused) {
  for (const auto& file : fs::directory_iterator(kRecords))
    if (file.path().extension() != ".npy") fs::copy(file, this->folder_.path() / file.path().filename());
  constexpr std::string_view kBytes = "0129xX:+-/()~ \n.eE#\xff";
  std::mt19937 random(5);
  for (const char* name : {"f212", "two_rates_310", "variable", "skewed", "f516"}) {
    const std::string good = contents_of(kRecords / (std::string(name) + ".hea"));
    for (int i = 0; i < 200; ++i) {
      std::string header = good;
      for (unsigned change = 0; change < 1 + random() % 4; ++change) {
        const auto at = random() % header.size();
        if (random() % 3 == 0)
          header.insert(at, 1 + random() % 12, '9');
        else
          header[at] = kBytes[random() % kBytes.size()];
      }
      try {
        this->read(this->folder_.write("changed.hea", header));
      } catch (const Error& error) {
        EXPECT_TRUE(error.status() == Status::input || error.status() == Status::unanalysable)
            << error.what() << header;
      }
    }
  }
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

}  // namespace
}  // namespace beatscan
