#include "stages/io/csv/text_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

// Returns the rows that all chunks of a text together must hold: its lines without their ends, and without the blank
// ones at the end of the text.
std::vector<std::string> rows_of(const std::string& text) {
  std::vector<std::string> rows(1);
  for (const char c : text)
    if (c == '\n')
      rows.emplace_back();
    else
      rows.back() += c;
  for (auto& row : rows)
    while (row.ends_with('\r')) row.pop_back();
  while (!rows.empty() && rows.back().empty()) rows.pop_back();
  return rows;
}

// Returns the smallest headroom that holds every line with its end.
std::size_t longest_line(const std::string& text) {
  std::size_t longest = 1;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size());
    longest = std::max(longest, end - begin + 1);
    begin = end + 1;
  }
  return longest;
}

// A reader with its slots.
struct Reading {
  Reading(int threads, const InputFile& file, std::size_t offset, std::size_t headroom, std::size_t chunk_bytes,
          int slots = 3)
      : memory(slots, std::vector<char>(headroom + chunk_bytes)),
        reader(file, static_cast<std::int64_t>(offset), {memory.begin(), memory.end()}, headroom, threads) {}
  std::vector<std::vector<char>> memory;
  TextReader reader;
};

// With threads that read ahead, and without.
class TextReaderTest : public testing::TestWithParam<int> {
 protected:
  // Returns the rows of all chunks. Checks that each chunk is the part of the file that the reader says.
  std::vector<std::string> read(const std::string& text, std::size_t chunk_bytes, std::size_t headroom,
                                std::size_t offset = 0) {
    const InputFile file(folder_.write("text.csv", text));
    Reading reading(GetParam(), file, offset, headroom, chunk_bytes);
    std::vector<std::string> rows;
    auto end = static_cast<std::int64_t>(offset);
    while (const auto chunk = reading.reader.next()) {
      const std::string part(chunk->text.begin(), chunk->text.end());
      EXPECT_EQ(chunk->first_byte, end) << "chunks follow each other";
      EXPECT_EQ(part, text.substr(static_cast<std::size_t>(end), part.size()));
      end = chunk->end_byte;
      EXPECT_EQ(chunk->rows, std::ranges::count(part, '\n') + 1);
      std::string row;
      for (std::size_t i = 0; i <= part.size(); ++i)
        if (i == part.size() || part[i] == '\n') {
          while (row.ends_with('\r')) row.pop_back();
          rows.push_back(std::move(row));
          row.clear();
        } else {
          row += part[i];
        }
      reading.reader.release();
    }
    EXPECT_LE(end, static_cast<std::int64_t>(text.size()));
    EXPECT_FALSE(reading.reader.next()) << "the end stays the end";
    return rows;
  }
  std::vector<std::string> read(const std::string& text, std::size_t chunk_bytes) {
    return read(text, chunk_bytes, longest_line(text));
  }

  void expect_same_rows_in_all_chunk_sizes(const std::string& text) {
    for (std::size_t bytes = 1; bytes <= text.size() + 2; ++bytes)
      ASSERT_EQ(read(text, bytes), rows_of(text)) << "chunks of " << bytes << ": " << testing::PrintToString(text);
  }

  TemporaryFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(Threads, TextReaderTest, testing::Values(0, 2));

TEST_P(TextReaderTest, EveryEndOfFileAndEveryChunkSize) {
  for (const char* end : {"", "\n", "\n\n\n", "\r\n", "\r\n\r\n", "\n\r", "\r"}) {
    expect_same_rows_in_all_chunk_sizes(std::string("1\n22\n333\n4") + end);
    expect_same_rows_in_all_chunk_sizes(std::string("1\r\n22\r\n333\r\n4") + end);
  }
}

TEST_P(TextReaderTest, BlankLinesAreRowsInTheMiddleAndNoneAtTheEnd) {
  expect_same_rows_in_all_chunk_sizes("1\n\n2\n\n\n3\n\n\n\n");
  expect_same_rows_in_all_chunk_sizes("\n\n\r\n1\r\n\r\n\r\n2\r\n\r\n\r\n");
  expect_same_rows_in_all_chunk_sizes("1\n" + std::string(20, '\n') + "2\n" + std::string(20, '\n'));
  EXPECT_EQ(read("1\n\n2\n\n", 4), (std::vector<std::string>{"1", "", "2"}));
}

TEST_P(TextReaderTest, CrLfSplitBetweenTwoChunks) {
  EXPECT_EQ(read("12\r\n34\r\n5", 7), (std::vector<std::string>{"12", "34", "5"}))
      << "the first chunk ends with the CR";
}

TEST_P(TextReaderTest, NothingButLineEnds) {
  for (const char* text : {"", "\n", "\n\n\n\n\n\n", "\r\n\r\n\r\n"})
    for (const std::size_t bytes : {1, 2, 3, 100})
      EXPECT_TRUE(read(text, bytes).empty()) << testing::PrintToString(text);
}

TEST_P(TextReaderTest, StartsAtTheOffset) {
  EXPECT_EQ(read("header\n1\n2\n", 4, 8, 7), (std::vector<std::string>{"1", "2"}));
  EXPECT_TRUE(read("header\n", 4, 8, 7).empty());
}

TEST_P(TextReaderTest, RandomFilesHaveTheSameRowsInChunksOfAnySize) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    std::string text;
    for (auto lines = random() % 20; lines-- > 0;) {
      text.append(random() % 3 == 0 ? 0 : random() % 7, '1' + static_cast<char>(random() % 9));
      text += random() % 3 == 0 ? "\r\n" : "\n";
    }
    if (random() % 2) text += "99";
    expect_same_rows_in_all_chunk_sizes(text);
  }
}

TEST_P(TextReaderTest, ChunksOfManyPieces) {  // pieces of 1 MiB
  std::string text;
  for (int row = 0; text.size() < 7'000'000; ++row) text += std::to_string(std::int64_t{row} * 7919) + "\n";
  const auto expected = rows_of(text);
  for (const std::size_t bytes : {1'000'000, 1 << 20, 2'500'001, 8'000'000}) EXPECT_TRUE(read(text, bytes) == expected);
}

TEST_P(TextReaderTest, ALineLongerThanTheHeadroomIsAnErrorThatNamesItsByte) {
  expect_error(ErrorKind::input, "text.csv: byte 4: a line of more than 6 bytes",
               [&] { read("1\n2\n1234567890\n3\n", 6, 6); });
}

TEST_P(TextReaderTest, RowsBeforeTheErrorComeFirst) {
  const InputFile file(folder_.write("text.csv", "1\n2\n1234567890\n3\n"));
  Reading reading(GetParam(), file, 0, 4, 4);
  const auto chunk = reading.reader.next();
  ASSERT_TRUE(chunk);
  EXPECT_EQ(std::string(chunk->text.begin(), chunk->text.end()), "1\n2");
  EXPECT_THROW_KIND(reading.reader.next(), ErrorKind::input);
}

TEST_P(TextReaderTest, AnErrorStays) {
  const auto path = folder_.write("text.csv", "1\n2\n3\n4\n5\n6\n");
  const InputFile file(path);
  std::filesystem::resize_file(path, 5);
  Reading reading(GetParam(), file, 0, 4, 4);
  ASSERT_TRUE(reading.reader.next());
  for (int call = 0; call < 2; ++call) EXPECT_THROW_KIND(reading.reader.next(), ErrorKind::input);
}

TEST_P(TextReaderTest, ChunksStayAsTheyAreWhileTheyAreHeld) {
  const InputFile file(folder_.write("text.csv", "1\n2\n3\n4\n5\n6\n"));
  Reading reading(GetParam(), file, 0, 2, 2, 4);
  std::string text;
  for (auto before = reading.reader.next(); before;) {
    const auto after = reading.reader.next();
    text.append(before->text.begin(), before->text.end());
    reading.reader.release();
    before = after;
  }
  EXPECT_EQ(text, "123456");
}

TEST_P(TextReaderTest, MayBeLeftBeforeTheEnd) {
  const InputFile file(folder_.write("text.csv", std::string(10000, '\n') + "1"));
  Reading reading(GetParam(), file, 0, 16, 16);
  EXPECT_TRUE(reading.reader.next());
}

TEST_P(TextReaderTest, NeedsTwoSlotsWithRoomForAChunk) {
  const InputFile file(folder_.write("text.csv", "1\n"));
  EXPECT_THROW_KIND(Reading(GetParam(), file, 0, 4, 4, 1), ErrorKind::internal);
  EXPECT_THROW_KIND(Reading(GetParam(), file, 0, 4, 0), ErrorKind::internal);
}

TEST_P(TextReaderTest, MissingFilesAndFoldersAreInputErrors) {
  expect_error(ErrorKind::input, "nothing.csv: cannot be read", [&] { InputFile(folder_.path() / "nothing.csv"); });
  expect_error(ErrorKind::input, "cannot be read", [&] { InputFile(folder_.path()); });
}

TEST_P(TextReaderTest, AFileIsReadFromAnyByte) {
  const InputFile file(folder_.write("text.csv", "0123456789"));
  EXPECT_EQ(file.size(), 10);
  std::vector<char> target(4);
  EXPECT_EQ(file.read(5, target), 4);
  EXPECT_EQ(std::string(target.begin(), target.end()), "5678");
  EXPECT_EQ(file.read(8, target), 2) << "as far as the file reaches";
  EXPECT_EQ(file.read(10, target), 0);
}

}  // namespace
}  // namespace beatscan
