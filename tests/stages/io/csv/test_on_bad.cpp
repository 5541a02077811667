// Reads CSV files with bad rows. By ingest.on_bad the file is refused, their samples are missing, or they are left out.
// The last two must give the same as a file with these cells emptied, or without these lines.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "kernels/runtime/error.h"
#include "stages/io/csv/ingest.h"
#include "stages/io/recording/input_file.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_stride.h"

namespace beatscan {
namespace {

const std::int64_t kDefaultChunk = IngestOptions{}.chunk_bytes;

template <class Context>
class OnBadRows : public OnBackend<Context> {
 protected:
  Recording<Context> read(const std::string& text, OnBad on_bad, std::int64_t chunk_bytes = kDefaultChunk,
                          const std::string& time_column = "") {
    return ingest(this->context(), InputFile(folder_.write("x.csv", text)),
                  {.time_column = time_column, .chunk_bytes = chunk_bytes, .on_bad = on_bad});
  }
  std::vector<float> samples(const Recording<Context>& recording) {
    return to_host(this->context(), recording.leads.front().samples);
  }
  void expect_refused(ErrorKind status, const std::string& part, const std::string& text, OnBad on_bad) {
    expect_error(status, part, [&] { read(text, on_bad); });
  }
  TemporaryFolder folder_;
};
TYPED_TEST_SUITE(OnBadRows, Backends, BackendNames);

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

std::vector<std::string> named(const BadRows& bad) {
  std::vector<std::string> rows;
  for (const auto& row : bad.first)
    rows.push_back(std::to_string(row.line) + ":" + std::to_string(row.byte) + ": " + row.what);
  return rows;
}

const std::string kEveryFault = "t,mV\n0,1\n1,x\n2,1e39\n3\n4,2,3\n5,\"6\n7,8\n";
const std::vector<std::string> kEveryFaultNamed = {
    "3:11: 'x' is not a number", "4:15: '1e39' is out of float32's range", "5:20: 1 cell where the first line has 2",
    "6:22: 3 cells where the first line has 2", "7:30: a quote is not closed before the line ends: '\"6'"};

TYPED_TEST(OnBadRows, NanMakesThemMissing) {
  const auto recording = this->read(kEveryFault, OnBad::nan, kDefaultChunk, "-");
  EXPECT_EQ(this->samples(recording).size(), 7u);
  EXPECT_EQ(this->samples(recording).front(), 1);
  EXPECT_EQ(this->samples(recording).back(), 8);
  EXPECT_EQ(recording.leads.front().missing, 5);
  EXPECT_EQ(to_host(this->context(), recording.leads.front().gap_firsts), std::vector<std::int64_t>{1});
  EXPECT_EQ(to_host(this->context(), recording.leads.front().gap_lasts), std::vector<std::int64_t>{5});
  EXPECT_EQ(recording.bad.count, 5);
  EXPECT_EQ(named(recording.bad), kEveryFaultNamed);
}

TYPED_TEST(OnBadRows, SkipLeavesThemOut) {
  const auto recording = this->read(kEveryFault, OnBad::skip, kDefaultChunk, "-");
  EXPECT_EQ(this->samples(recording), (std::vector<float>{1, 8}));
  EXPECT_EQ(recording.leads.front().missing, 0);
  EXPECT_EQ(recording.bad.count, 5);
  EXPECT_EQ(named(recording.bad), kEveryFaultNamed);
}

TYPED_TEST(OnBadRows, AWarningNamesTheFirstAndCountsAll) {
  std::string text = "mV\n1\n";
  for (int i = 0; i < 10; ++i) text += "x" + std::to_string(i) + "\n";
  const auto missing = this->read(text, OnBad::nan).signal.warnings;
  ASSERT_EQ(missing.size(), 1u);
  EXPECT_TRUE(missing[0].starts_with("10 bad rows: line 3, byte 5: 'x0' is not a number; line 4, byte 8: 'x1'"));
  EXPECT_TRUE(missing[0].ends_with("line 10, byte 26: 'x7' is not a number; and 2 more; their samples are missing"))
      << missing[0];
  const auto skipped = this->read("mV\n1\nx\n2\n", OnBad::skip).signal.warnings;
  ASSERT_EQ(skipped.size(), 1u);
  EXPECT_EQ(skipped[0], "1 bad row: line 3, byte 5: 'x' is not a number; left out: samples are counted without them");
}

TYPED_TEST(OnBadRows, GoodFilesAreTheSameWithAll) {
  for (const OnBad on_bad : {OnBad::error, OnBad::nan, OnBad::skip}) {
    const auto recording = this->read("mV\n1\n\nNaN\n4\n", on_bad);
    EXPECT_EQ(this->samples(recording), (std::vector<float>{1, 2, 3, 4}));
    EXPECT_EQ(recording.leads.front().missing, 2);
    EXPECT_EQ(recording.bad.count, 0);
    EXPECT_TRUE(recording.signal.warnings.empty());
  }
}

TYPED_TEST(OnBadRows, ErrorIsTheDefaultAndSaysWhatElseThereIs) {
  EXPECT_EQ(IngestOptions{}.on_bad, OnBad::error);
  this->expect_refused(ErrorKind::input, "x.csv:3: byte 5: 'x' is not a number; --set ingest.on_bad=nan (or skip)",
                       "mV\n1\nx\n", OnBad::error);
}

TYPED_TEST(OnBadRows, WhereAllAreBadThereIsNothingToAnalyse) {
  for (const OnBad on_bad : {OnBad::nan, OnBad::skip})
    this->expect_refused(ErrorKind::unanalysable,
                         "no sample has a value (column 'mV'); 2 bad rows: line 2, byte 3: 'x' is not a number; line 3",
                         "mV\nx\ny\n", on_bad);
}

// Compares with the same file with the bad cells emptied, or without the bad lines, in chunks of several sizes, for
// many and for few bad rows.
TYPED_TEST(OnBadRows, AreAsIfTheCellWereEmptyOrTheLineNotThere) {
  for (const int one_in : {2, 50, 3000}) {
    SCOPED_TRACE(shape_and_seed("one in", one_in, 5));
    std::mt19937_64 random(5);
    std::vector<std::string> lines{"t,mV"}, emptied{"t,mV"}, without{"t,mV"}, first;
    std::int64_t byte = 5, count = 0;
    const int last = 9000 / test_stride();
    for (int line = 2; line <= last; ++line) {
      const auto number = std::to_string(random() % 1000);
      const bool bad = line > 2 && line < last && random() % one_in == 0, ragged = random() % 2;
      lines.push_back(bad ? (ragged ? number : "7," + number + "?") : "7," + number);
      emptied.push_back(bad ? "7," : lines.back());
      if (!bad) without.push_back(lines.back());
      const auto place = std::to_string(line) + ":" + std::to_string(byte + (bad && !ragged ? 2 : 0)) + ": ";
      if (bad && count++ < kNamedBadRows)
        first.push_back(place + (ragged ? "1 cell where the first line has 2" : "'" + number + "?' is not a number"));
      byte += std::ssize(lines.back()) + 1;
    }
    const std::string text = joined(lines);
    const auto with_gaps = this->read(joined(emptied), OnBad::error, kDefaultChunk, "-"),
               shorter = this->read(joined(without), OnBad::error, kDefaultChunk, "-");
    for (const std::int64_t chunk_bytes : {64, 1000, 4096, 1 << 20}) {
      SCOPED_TRACE(chunk_bytes);
      const auto nan = this->read(text, OnBad::nan, chunk_bytes, "-"),
                 skip = this->read(text, OnBad::skip, chunk_bytes, "-");
      EXPECT_TRUE(this->samples(nan) == this->samples(with_gaps));
      EXPECT_EQ(nan.leads.front().missing, count);
      EXPECT_EQ(to_host(this->context(), nan.leads.front().gap_lasts),
                to_host(this->context(), with_gaps.leads.front().gap_lasts));
      EXPECT_TRUE(this->samples(skip) == this->samples(shorter));
      EXPECT_EQ(skip.leads.front().missing, 0);
      for (const auto* recording : {&nan, &skip}) {
        EXPECT_EQ(recording->bad.count, count);
        EXPECT_EQ(named(recording->bad), first);
      }
    }
  }
}

// Returns rows at 250 Hz with their times, a second line of text, and a row that is broken off.
std::string with_times(int rows, int broken_row, int step_back_row = -1) {
  std::string text = "time,mV\ns,mA\n";
  char line[60];
  for (int row = 0; row < rows; ++row) {
    std::snprintf(line, sizeof line, "%.3f,%d", row == step_back_row ? 0.0 : row * 0.004, row);
    text += (row == broken_row ? "0.0" : std::string(line)) + "\n";
  }
  return text;
}

TYPED_TEST(OnBadRows, TheirTimesDoNotCount) {
  for (const std::int64_t chunk_bytes : {1024, 1 << 20}) {
    const auto nan = this->read(with_times(1000, 500), OnBad::nan, chunk_bytes, "time");
    EXPECT_EQ(nan.signal.sample_rate_hz, 250);
    EXPECT_EQ(nan.leads.front().missing, 2);
    ASSERT_EQ(nan.samples(), 1001);
    EXPECT_EQ(this->samples(nan)[501], 500) << "bridged";
    const auto skip = this->read(with_times(1000, 500), OnBad::skip, chunk_bytes, "time");
    EXPECT_EQ(skip.signal.sample_rate_hz, 250);
    EXPECT_EQ(skip.samples(), 1000) << "by the times there is one to be put in again";
    EXPECT_EQ(skip.leads.front().missing, 1);
    EXPECT_EQ(skip.bad.count, 2);
  }
}

// A time that is none makes its row a bad one. Its sample is good, so that it stays unless the row is left out.
TYPED_TEST(OnBadRows, WithABadTime) {
  std::string text = "time_ms,mV\n";
  for (int i = 0; i < 30'000; ++i)  // several parts, each read by a thread
    text += (i == 300 || i == 9000 ? "noon"
             : i == 20'000         ? "1e400"
                                   : std::to_string(i * 4)) +
            "," + (i == 9000 ? "x" : std::to_string(i)) + "\n";
  for (const std::int64_t chunk_bytes : {1024, 1 << 20})
    for (const std::string column : {"", "time_ms"}) {
      const auto nan = this->read(text, OnBad::nan, chunk_bytes, column);
      EXPECT_EQ(nan.signal.sample_rate_hz, 250);
      EXPECT_EQ(nan.samples(), 30'000);
      EXPECT_EQ(nan.leads.front().missing, 1) << "two of the samples are good";
      EXPECT_EQ(nan.bad.count, 3);
      ASSERT_EQ(nan.bad.first.size(), 3u);
      EXPECT_EQ(nan.bad.first[0].line, 302);
      EXPECT_EQ(nan.bad.first[0].byte, static_cast<std::int64_t>(text.find("noon")));
      EXPECT_EQ(nan.bad.first[0].what, "'noon' is not a time like those before");
      EXPECT_EQ(nan.bad.first[1].what, "'x' is not a number");
      EXPECT_EQ(nan.bad.first[2].line, 20'002);
      EXPECT_EQ(nan.bad.first[2].byte, static_cast<std::int64_t>(text.find("1e400")));
      const auto skip = this->read(text, OnBad::skip, chunk_bytes, column);
      EXPECT_EQ(skip.samples(), 30'000) << "by the times there are three to be put in again";
      EXPECT_EQ(skip.leads.front().missing, 3);
      EXPECT_EQ(skip.bad.count, 3);
    }
}

TYPED_TEST(OnBadRows, LinesAreCountedRightAfterThem) {
  for (const OnBad on_bad : {OnBad::nan, OnBad::skip})
    this->expect_refused(ErrorKind::input, "x.csv:703: the time goes back", with_times(1000, 500, 700), on_bad);
}

TYPED_TEST(OnBadRows, ALineThatIsTooLongIsAnErrorAllTheSame) {
  expect_error(ErrorKind::input, "raise ingest.chunk_bytes",
               [&] { this->read("mV\n1\nx\n" + std::string(5000, ' ') + "1\n", OnBad::skip, 1024); });
}

}  // namespace
}  // namespace beatscan
