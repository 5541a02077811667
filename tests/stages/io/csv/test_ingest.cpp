#include "stages/io/csv/ingest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/runtime/error.h"
#include "stages/io/recording/input_file.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_stride.h"

namespace beatscan {
namespace {

template <class Context>
class Ingest : public OnBackend<Context> {
 protected:
  Recording<Context> read(const std::string& text, const IngestOptions& options = {}) {
    const InputFile file(folder_.write("x.csv", text));
    return ingest(this->context(), file, options);
  }
  std::vector<float> values(const std::string& text, const IngestOptions& options = {}) {
    return to_host(this->context(), read(text, options).leads.front().samples);
  }
  void expect_refused(ErrorKind status, const std::string& part, const std::string& text,
                      const IngestOptions& options = {}) {
    expect_error(status, part, [&] { read(text, options); });
  }
  TemporaryFolder folder_;
};
TYPED_TEST_SUITE(Ingest, Backends, BackendNames);

using Values = std::vector<float>;

// Returns a header and `rows` lines of "0.5", of which row `at`, counted from 0, is another line.
std::string with_one_row(std::int64_t rows, std::int64_t at, const std::string& other, const std::string& end = "\n") {
  std::string text = "mV" + end;
  for (std::int64_t row = 0; row < rows; ++row) text += (row == at ? other : "0.5") + end;
  return text;
}

TYPED_TEST(Ingest, ReadsValues) {
  EXPECT_EQ(this->values("mV\n1\n-2.5\n 3e-2 \n\"4\"\n"), (Values{1, -2.5f, 3e-2f, 4}));
  EXPECT_EQ(this->values("1\n2"), (Values{1, 2}));
  EXPECT_EQ(this->values("mV\r\n1\r\n2\r\n\r\n"), (Values{1, 2}));
  EXPECT_EQ(this->values("\xef\xbb\xbfmV\n7\n"), (Values{7}));
}

TYPED_TEST(Ingest, SaysWhatItRead) {
  const auto recording = this->read("time;mV\n0;-0.25\n1;\n2;0.75\n");
  EXPECT_EQ(recording.samples(), 3);
  EXPECT_EQ(recording.leads.front().missing, 1);
  EXPECT_EQ(recording.leads.front().range.min, -0.25f);
  EXPECT_EQ(recording.leads.front().range.max, 0.75f);
  EXPECT_EQ(recording.bytes, 26);
  EXPECT_EQ(recording.signal.name, "mV");
}

TYPED_TEST(Ingest, ReadsTheColumnAskedFor) {
  const std::string text = "time,a,b\n0,1,10\n1,2,20\n2,3,30\n";
  EXPECT_EQ(this->values(text), (Values{1, 2, 3}));
  EXPECT_EQ(this->values(text, {.column = "b"}), (Values{10, 20, 30}));
  EXPECT_EQ(this->values(text, {.column = "0"}), (Values{0, 1, 2}));
  EXPECT_EQ(this->values("0,5;1\n0,6;2\n", {.column = "1"}), (Values{1, 2}));
}

TYPED_TEST(Ingest, CellsOfOtherColumnsMayHoldAnything) {
  EXPECT_EQ(this->values("note,mV\nx,1\n\"a,b\",2\n,3\n", {.column = "mV"}), (Values{1, 2, 3}));
}

TYPED_TEST(Ingest, BridgesGapsByStraightLines) {
  const auto recording = this->read("mV\nNaN\n1\n\nnull\n4\nNA\n");
  EXPECT_EQ(to_host(this->context(), recording.leads.front().samples), (Values{1, 1, 2, 3, 4, 4}));
  EXPECT_EQ(recording.leads.front().missing, 4);
  EXPECT_EQ(to_host(this->context(), recording.leads.front().gap_firsts), (std::vector<std::int64_t>{0, 2, 5}));
  EXPECT_EQ(to_host(this->context(), recording.leads.front().gap_lasts), (std::vector<std::int64_t>{0, 3, 5}));
}

TYPED_TEST(Ingest, BlankLinesAreGapsInTheMiddleAndNothingAtTheEnd) {
  const auto recording = this->read("mV\n1\n\n3\n\n\n");
  EXPECT_EQ(recording.samples(), 3);
  EXPECT_EQ(recording.leads.front().missing, 1);
  const auto many = this->read("mV\n1\n2" + std::string(5000, '\n'), {.chunk_bytes = 1024});
  EXPECT_EQ(many.samples(), 2);
  EXPECT_EQ(many.leads.front().missing, 0);
}

TYPED_TEST(Ingest, WithoutValuesThereIsNothingToAnalyse) {
  for (const char* text : {"mV\n", "mV", "mV\n\n\n", "mV\nNaN\nNaN\n", "NaN\n\nnull"})
    this->expect_refused(ErrorKind::unanalysable, "x.csv: no sample has a value", text);
}

TYPED_TEST(Ingest, ABadCellIsNamedWithItsLineAndByteInAnyChunk) {
  for (const std::int64_t row : {0, 1, 254, 255, 256, 257, 511, 700, 2999})
    for (const std::int64_t chunk_bytes : {1024, 1025, 4096, 1 << 20}) {
      SCOPED_TRACE(testing::Message() << "row " << row << ", chunks of " << chunk_bytes);
      const auto line = std::to_string(row + 2), byte = std::to_string(3 + 4 * row);
      this->expect_refused(ErrorKind::input, "x.csv:" + line + ": byte " + byte + ": '1.1x5' is not a number",
                           with_one_row(3000, row, "1.1x5"), {.chunk_bytes = chunk_bytes});
    }
}

TYPED_TEST(Ingest, WithoutAHeaderTheFirstLineIsLine1) {
  this->expect_refused(ErrorKind::input, "x.csv:3: byte 4: 'x' is not a number", "1\n2\nx\n");
}

TYPED_TEST(Ingest, TheFirstOfSeveralBadCellsIsNamed) {
  this->expect_refused(ErrorKind::input, "x.csv:4: ", "mV\n1\n2\nx\n3\ny\n");
}

TYPED_TEST(Ingest, SaysWhatIsWrongWithACell) {
  for (const char* cell : {"abc", "1e", "0x10", "inf", "-Infinity", "1,5x", "--1", "1.2.3", "."})
    this->expect_refused(ErrorKind::input, "is not a number",
                         with_one_row(5, 2, std::string("\"").append(cell).append("\"")));
  this->expect_refused(ErrorKind::input, "x.csv:4: byte 11: '1e400' is out of float32's range",
                       with_one_row(5, 2, "1e400"));
  this->expect_refused(ErrorKind::input, "a quote is not closed", with_one_row(5, 2, "\"1"));
  this->expect_refused(ErrorKind::input, "'abc' is not a number", with_one_row(5, 2, "abc", "\r\n"));
  this->expect_refused(ErrorKind::input, "…' is not a number", with_one_row(5, 2, std::string(500, 'a')));
}

TYPED_TEST(Ingest, RaggedRowsAreErrors) {
  this->expect_refused(ErrorKind::input, "x.csv:3: byte 8: 1 cell where the first line has 2", "a,b\n1,2\n3\n4,5\n");
  this->expect_refused(ErrorKind::input, "x.csv:2: byte 4: 3 cells where the first line has 2", "a,b\n1,2,3\n");
  this->expect_refused(ErrorKind::input, "x.csv:3: byte 5: 2 cells where the first line has 1", "mV\n1\n2,3\n");
  this->expect_refused(ErrorKind::input, "x.csv:3: byte 8: 1 cell where the first line has 2", "a,b\n1,2\n\n3,4\n");
}

TYPED_TEST(Ingest, ALineLongerThanAChunkIsAnError) {
  this->expect_refused(ErrorKind::input, "raise ingest.chunk_bytes", with_one_row(2000, 1000, std::string(2000, ' ')),
                       {.chunk_bytes = 1024});
}

TYPED_TEST(Ingest, TheSizeOfChunksChangesNothing) {
  std::mt19937 random(7);
  Values expected;
  std::string text = "mV\n";
  const int rows = 20'000 / test_stride();
  for (int row = 0; row < rows; ++row) {
    const int thousandths = static_cast<int>(random() % 4001) - 2000;
    const bool missing = row > 0 && row + 1 < rows && random() % 50 == 0;
    expected.push_back(missing ? NAN : static_cast<float>(thousandths) / 1000);
    text += (missing ? "" : std::to_string(thousandths) + "e-3") + (random() % 5 ? "\n" : "\r\n");
  }
  const auto whole = this->read(text);
  const auto reference = to_host(this->context(), whole.leads.front().samples);
  ASSERT_EQ(reference.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_TRUE(std::isfinite(reference[i]));
    if (std::isnan(expected[i])) continue;
    ASSERT_EQ(reference[i], expected[i]) << i;
  }
  for (const std::int64_t chunk_bytes : {1024, 1025, 1031, 5000, 65536, 1 << 20}) {
    SCOPED_TRACE(chunk_bytes);
    const auto recording = this->read(text, {.chunk_bytes = chunk_bytes});
    EXPECT_EQ(to_host(this->context(), recording.leads.front().samples), reference);
    EXPECT_EQ(recording.leads.front().missing, whole.leads.front().missing);
    EXPECT_EQ(to_host(this->context(), recording.leads.front().gap_lasts),
              to_host(this->context(), whole.leads.front().gap_lasts));
  }
}

// Some size of chunk splits the text at every place of every row.
TYPED_TEST(Ingest, ARowMayBeSplitAnywhere) {
  const std::string rows = "-1.105000000000000071e-02\r\n\n\"2.5\"\n  3e0\nNaN\n0.1\n-7\n12345678901234567890e-19\n";
  const std::string text = "mV\n" + rows + rows + rows + "\n\n";  // for each byte of the middle, a chunk ends there
  const auto reference = this->values(text);
  ASSERT_EQ(reference.size(), 24u);
  EXPECT_EQ(reference[8], -1.105000000000000071e-02f);
  EXPECT_EQ(reference[23], 12345678901234567890e-19f);
  for (std::int64_t bytes = 56; bytes <= std::ssize(text) + 1; bytes += test_stride())
    ASSERT_EQ(this->values(text, {.chunk_bytes = bytes}), reference) << "chunks of " << bytes;
}

// An error of reading further on must not hide a bad cell.
TYPED_TEST(Ingest, ABadCellBeforeALineThatIsTooLongIsNamed) {
  this->expect_refused(ErrorKind::input, "x.csv:3: byte 5: 'y'",
                       "mV\n1\ny\n" + std::string(1010, ' ') + "1\n" + std::string(5000, ' ') + "1\n",
                       {.chunk_bytes = 1024});
}

// Reads rows of 105 bytes, together more than least_bytes. Then reads them with one more row, which is not a number.
template <class Context>
void expect_read_and_counted(Context& context, const TemporaryFolder& folder, std::int64_t least_bytes) {
  std::mt19937 random(11);
  Values expected;
  std::string block;
  for (int row = 0; row < 100'003; ++row) {
    const auto number = std::to_string(static_cast<int>(random() % 2'000'001) - 1'000'000) + "e-6";
    expected.push_back(std::strtof(number.c_str(), nullptr));
    block += number + std::string(90 + random() % 10, ' ') + '\n';
  }
  const auto path = folder.write("x.csv", "");
  std::ofstream out(path, std::ios::binary);
  const std::int64_t blocks = least_bytes / std::ssize(block) + 2;
  for (std::int64_t i = 0; i < blocks; ++i) out << block;
  out.close();
  {
    const InputFile file(path);
    ASSERT_GT(file.size(), least_bytes);
    const auto samples = to_host(context, ingest(context, file, {}).leads.front().samples);
    ASSERT_EQ(std::ssize(samples), blocks * std::ssize(expected));
    for (std::int64_t i = 0; i < blocks; ++i)
      ASSERT_TRUE(std::ranges::equal(expected, std::span(samples).subspan(i * expected.size(), expected.size()))) << i;
  }
  const auto byte = std::to_string(std::filesystem::file_size(path));
  std::ofstream(path, std::ios::binary | std::ios::app) << "1.1x5\n";
  const InputFile file(path);
  expect_error(ErrorKind::input,
               "x.csv:" + std::to_string(blocks * std::ssize(expected) + 1) + ": byte " + byte + ": '1.1x5'",
               [&] { ingest(context, file, {}); });
}

// scripts/nightly runs the disabled tests: they need gigabytes of disk, and minutes under a sanitizer.
TYPED_TEST(Ingest, DISABLED_AFileOfMoreThan2GiB) {
  expect_read_and_counted(this->context(), this->folder_, std::int64_t{1} << 31);
}

TYPED_TEST(Ingest, DISABLED_AFileOfMoreThan4GiB) {
  expect_read_and_counted(this->context(), this->folder_, std::int64_t{1} << 32);
}

TYPED_TEST(Ingest, ReportsBytesUpToTheEnd) {
  const InputFile file(this->folder_.write("x.csv", with_one_row(3000, 0, "1")));
  std::vector<std::int64_t> reports;
  ingest(this->context(), file, {.chunk_bytes = 1024}, [&](std::int64_t done, std::int64_t total) {
    EXPECT_EQ(total, file.size());
    reports.push_back(done);
  });
  EXPECT_GT(reports.size(), 5u);
  EXPECT_TRUE(std::ranges::is_sorted(reports));
  EXPECT_EQ(reports.back(), file.size());
}

TYPED_TEST(Ingest, AReportMayStopIt) {
  const InputFile file(this->folder_.write("x.csv", with_one_row(3000, 0, "1")));
  struct Stop {};
  EXPECT_THROW(ingest(this->context(), file, {.chunk_bytes = 1024}, [](auto, auto) { throw Stop(); }), Stop);
}

}  // namespace
}  // namespace beatscan
