// Refuses WFDB records that must not be read or trusted.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/wfdb_records.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

template <class Context>
class WfdbRefused : public WfdbRecords<Context> {};
TYPED_TEST_SUITE(WfdbRefused, Backends, BackendNames);

TYPED_TEST(WfdbRefused, FilesOutsideOfTheHeadersFolderAreNotOpened) {
  for (const std::string name : {"/etc/passwd", "../x.dat", "a/../../x.dat", "-", ".."})
    this->expect_refused("x.hea: '" + name + "' is not a file in the header's folder",
                         this->record("x 1 360 100\n" + name + " 80\n"));
  this->expect_refused("x.hea: '../y.hea' is not a file in the header's folder",
                       this->record("x/1 1 360 100\n../y 100\n"));
  fs::create_directory(this->folder_.path() / "below");
  this->folder_.write("below/x.dat", std::string(100, 'x') + "y");
  EXPECT_EQ(this->read(this->record("x 1 360 101\nbelow/x.dat 80\n")).samples(), 101);
}

TYPED_TEST(WfdbRefused, FilesThatAreNotThere) {
  this->expect_refused("nothing.hea: cannot be read: No such file or directory", this->folder_.path() / "nothing.hea");
  this->expect_refused("gone.dat: cannot be read: No such file or directory", this->record("x 1 360 9\ngone.dat 80\n"));
  this->expect_refused("gone.hea: cannot be read: No such file or directory", this->record("x/1 1 360 9\ngone 9\n"));
  fs::create_directory(this->folder_.path() / "d");
  this->expect_refused("d: is not a regular file", this->record("x 1 360 9\nd 80\n"));
  this->expect_refused("x.dat: is a signal file of a WFDB record; give its header, ",
                       this->record("x 1 360 9\nx.dat 80\n").replace_extension(".dat"));
  this->folder_.write("x.atr", std::string("\1\0\0\0", 4));
  this->expect_refused("x.atr: is an annotation file of a WFDB record; give the record, ",
                       this->record("x 1 360 9\nx.dat 80\n").replace_extension(".atr"));
}

// A header that is named without a folder is in the current one.
TYPED_TEST(WfdbRefused, FilesThatAreNotThereByRelativeNames) {
  this->record("x 1 360 9\ngone.dat 80\n");
  const fs::path here = fs::current_path();
  fs::current_path(this->folder_.path());
  this->expect_refused("gone.dat: cannot be read: No such file or directory", "x.hea");
  this->folder_.write("gone.dat", "123456789");
  EXPECT_EQ(this->read("x.hea").samples(), 9);
  fs::current_path(here);
}

TYPED_TEST(WfdbRefused, HeadersThatCannotBe) {
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

TYPED_TEST(WfdbRefused, SegmentsThatCannotBe) {
  const auto with_segment = [&](const std::string& master, const std::string& segment) {
    this->folder_.write("s.dat", std::string(100, 'a') + "b");
    this->folder_.write("s.hea", segment);
    return this->record(master);
  };
  const std::string good = "s 1 360 100\ns.dat 80 200/mV 8 0 0 0 0 I\n";
  EXPECT_EQ(this->read(with_segment("x/2 1 360 150\ns 100\n~ 50\n", good)).samples(), 150);
  this->expect_refused("x.hea: has segments of 150 samples together where the record line says 151",
                       with_segment("x/2 1 360 151\ns 100\n~ 50\n", good));
  this->expect_refused("s.hea: has 100 samples where x.hea says 99", with_segment("x/1 1 360 99\ns 99\n", good));
  this->expect_refused("s.hea: has another sampling frequency than x.hea",
                       with_segment("x/1 1 250 100\ns 100\n", good));
  this->expect_refused("s.hea: is a segment, so it cannot have segments itself",
                       with_segment("x/1 1 360 1\ns 1\n", "s/1 1 360 1\ns 1\n"));
  this->expect_refused("x.hea: has no segment with signals", with_segment("x/1 1 360 100\n~ 100\n", good));
  this->expect_refused("x.hea: claims more than 1000000000000 samples",
                       with_segment("x/2 1 360\ns 100\n~ 999999999999999\n", good));
  expect_error(ErrorKind::unanalysable, "x.hea: lead 'I' was recorded for 100 of 100100 samples",
               [&] { this->read(with_segment("x/2 1 360\ns 100\n~ 100000\n", good)); });
  this->folder_.write("t.hea", "t 1 360 1\ns.dat 80 200/uV 8 0 0 0 0 I\n");
  this->expect_refused(
      "t.hea: its signal 'I' differs from 'I' of the segments before in name, unit or samples per frame",
      with_segment("x/2 1 360\ns 100\nt 1\n", good));
}

// A few bytes of header must not stand for a recording of any length.
TYPED_TEST(WfdbRefused, ASegmentMayBeRepeatedButNotForever) {
  this->folder_.write("s.dat", std::string(100, 'a'));
  this->folder_.write("s.hea", "s 1 360 100\ns.dat 80 200/mV 8 0 0 0 0 I\n");
  const auto repeated = [&](int times) {
    std::string master = "x/" + std::to_string(times) + " 1 360\n";
    for (int i = 0; i < times; ++i) master += "s 100\n";
    return this->record(master);
  };
  EXPECT_EQ(this->read(repeated(100)).samples(), 10'000);
  this->expect_refused("x.hea: has segment 's' more than 100 times", repeated(101));
}

TYPED_TEST(WfdbRefused, SegmentsThatWereNotRecordedAreOneGap) {
  this->folder_.write("s.dat", std::string(2000, 'a'));
  this->folder_.write("s.hea", "s 1 360 2000\ns.dat 80 200/mV 8 0 0 0 0 I\n");
  std::string master = "x/100000 1 360\ns 2000\n";
  for (int i = 1; i < 100'000; ++i) master += "~ 1\n";
  const auto recording = this->read(this->record(master));
  EXPECT_EQ(recording.samples(), 101'999);
  EXPECT_EQ(to_host(this->context(), recording.leads.front().gap_firsts), (std::vector<std::int64_t>{2000}));
}

// A skew as long as the recording leaves a lead without a sample. It is left out with a warning where another lead is
// read, and refused where it was requested.
TYPED_TEST(WfdbRefused, ASkewThatLeavesNoSample) {
  this->folder_.write("y.dat", std::string(4000, 'a'));
  const auto header = [](const char* skew) {
    return "x 2 360 2000\ny.dat 80 200/mV 8 0 0 0 0 I\ny.dat 80" + std::string(skew) + " 200/mV 8 0 0 0 0 II\n";
  };
  this->expect_refused("has a skew of 99999999 frames, which leaves none of its 2000",
                       this->record("x 1 360 2000\ny.dat 80:99999999 200/mV 8 0 0 0 0 I\n"));
  EXPECT_EQ(this->read(this->record(header(":3"))).samples(), 2000);
}

// The number of samples in STREAMINFO, 36 bits, is overwritten. The samples are searched for before memory is taken for
// them.
TYPED_TEST(WfdbRefused, FlacFilesThatClaimTooMuchAreDecodedFirst) {
  std::string flac = contents_of(kWfdbRecords / "f516.dat");
  const std::int64_t claim = 900 * std::ssize(flac);
  for (int i = 0; i < 4; ++i) flac[22 + i] = static_cast<char>(claim >> 8 * (3 - i));
  this->folder_.write("f516.dat", flac);
  this->expect_refused("f516.dat: not a whole FLAC file",
                       this->record("x 3 360\nf516.dat 516\nf516.dat 516\nf516.dat 516\n"));
}

// Headers like those of the tests above make claims as large as can be. All are refused within a second.
TYPED_TEST(WfdbRefused, ClaimsCostNothing) {
  const auto start = std::chrono::steady_clock::now();
  for (const char* header : {"x 1000000000 360 100\nx.dat 80\n", "x/1000000000 1 360 100\nx 100\n",
                             "x 1 360 999999999999999\nx.dat 80\n", "x 1 360 1\nx.dat 16x1048576:999999999999999\n",
                             "x 1 360 1\nx.dat 16+999999999999999\n", "x 1 360 1\nx.dat 80 1e300\n"})
    expect_error(ErrorKind::input, "x.", [&] { this->read(this->record(header)); });
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

// Headers with a few changed bytes are read or refused, with the right kind of error.
TYPED_TEST(WfdbRefused, DamagedHeadersAreReadOrRefused) {
  for (const auto& file : fs::directory_iterator(kWfdbRecords))
    if (file.path().extension() != ".npy") fs::copy(file, this->folder_.path() / file.path().filename());
  constexpr std::string_view kBytes = "0129xX:+-/()~ \n.eE#\xff";
  std::mt19937 random(5);
  for (const char* name : {"f212", "two_rates_310", "variable", "skewed", "f516"}) {
    const std::string good = contents_of(kWfdbRecords / (std::string(name) + ".hea"));
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
        EXPECT_TRUE(error.kind() == ErrorKind::input || error.kind() == ErrorKind::unanalysable)
            << error.what() << header;
      }
    }
  }
}

}  // namespace
}  // namespace beatscan
