#include "stages/text_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/temporary_folder.h"

namespace beatscan {
namespace {

// Rows of a text, without their line ends and without the blank ones at its end: what all chunks together must hold.
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

// The smallest slot that holds every line with its end.
std::size_t longest_line(const std::string& text) {
  std::size_t longest = 1;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size());
    longest = std::max(longest, end - begin + 1);
    begin = end + 1;
  }
  return longest;
}

class TextReaderTest : public testing::Test {
 protected:
  // The rows of all chunks; checks that each chunk is the part of the file that the reader says.
  std::vector<std::string> read(const std::string& text, std::size_t slot_bytes, std::size_t offset = 0,
                                int slots = 3) {
    const InputFile file(folder_.write("text.csv", text));
    std::vector<std::vector<char>> memory(slots, std::vector<char>(slot_bytes));
    TextReader reader(file, static_cast<std::int64_t>(offset), {memory.begin(), memory.end()}, 2);
    std::vector<std::string> rows;
    std::int64_t end = static_cast<std::int64_t>(offset);
    while (const auto chunk = reader.next()) {
      const std::string part(chunk->begin(), chunk->end());
      EXPECT_LE(part.size(), slot_bytes);
      EXPECT_EQ(reader.chunk_offset(), end) << "chunks follow each other";
      EXPECT_EQ(part, text.substr(static_cast<std::size_t>(end), part.size()));
      end = reader.bytes_read();
      std::string row;
      for (std::size_t i = 0; i <= part.size(); ++i)
        if (i == part.size() || part[i] == '\n') {
          while (row.ends_with('\r')) row.pop_back();
          rows.push_back(std::move(row));
          row.clear();
        } else {
          row += part[i];
        }
    }
    EXPECT_LE(end, static_cast<std::int64_t>(text.size()));
    EXPECT_FALSE(reader.next()) << "the end stays the end";
    return rows;
  }

  void expect_same_rows_in_all_slot_sizes(const std::string& text) {
    for (std::size_t slot = longest_line(text); slot <= text.size() + 2; ++slot)
      ASSERT_EQ(read(text, slot), rows_of(text)) << "slot of " << slot << " bytes: " << testing::PrintToString(text);
  }

  TemporaryFolder folder_;
};

TEST_F(TextReaderTest, EveryEndOfFileAndEverySlotSize) {
  for (const char* end : {"", "\n", "\n\n\n", "\r\n", "\r\n\r\n", "\n\r", "\r"}) {
    expect_same_rows_in_all_slot_sizes(std::string("1\n22\n333\n4") + end);
    expect_same_rows_in_all_slot_sizes(std::string("1\r\n22\r\n333\r\n4") + end);
  }
}

TEST_F(TextReaderTest, BlankLinesAreRowsInTheMiddleAndNoneAtTheEnd) {
  expect_same_rows_in_all_slot_sizes("1\n\n2\n\n\n3\n\n\n\n");
  expect_same_rows_in_all_slot_sizes("\n\n\r\n1\r\n\r\n\r\n2\r\n\r\n\r\n");
  expect_same_rows_in_all_slot_sizes("1\n" + std::string(20, '\n') + "2\n" + std::string(20, '\n'));
  EXPECT_EQ(read("1\n\n2\n\n", 4), (std::vector<std::string>{"1", "", "2"}));
}

TEST_F(TextReaderTest, CrLfSplitBetweenTwoSlots) {
  EXPECT_EQ(read("12\r\n34\r\n5", 4), (std::vector<std::string>{"12", "34", "5"}));
  EXPECT_EQ(read("12\r\n34\r\n5", 7), (std::vector<std::string>{"12", "34", "5"})) << "the first slot ends with the CR";
}

TEST_F(TextReaderTest, NothingButLineEnds) {
  for (const char* text : {"", "\n", "\n\n\n\n\n\n", "\r\n\r\n\r\n"})
    for (const std::size_t slot : {1, 2, 3, 100}) EXPECT_TRUE(read(text, slot).empty()) << testing::PrintToString(text);
}

TEST_F(TextReaderTest, StartsAtTheOffset) {
  EXPECT_EQ(read("header\n1\n2\n", 4, 7), (std::vector<std::string>{"1", "2"}));
  EXPECT_TRUE(read("header\n", 4, 7).empty());
}

TEST_F(TextReaderTest, TwoSlotsAreEnough) {
  EXPECT_EQ(read("1\n2\n3\n4\n5\n", 2, 0, 2), (std::vector<std::string>{"1", "2", "3", "4", "5"}));
}

TEST_F(TextReaderTest, RandomFilesHaveTheSameRowsInSlotsOfAnySize) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    std::string text;
    for (auto lines = random() % 30; lines-- > 0;) {
      text.append(random() % 3 == 0 ? 0 : random() % 7, '1' + static_cast<char>(random() % 9));
      text += random() % 3 == 0 ? "\r\n" : "\n";
    }
    if (random() % 2) text += "99";
    expect_same_rows_in_all_slot_sizes(text);
  }
}

TEST_F(TextReaderTest, ALineLongerThanASlotIsAnErrorThatNamesItsByte) {
  expect_error(Status::input, "text.csv: byte 4: a line of more than 6 bytes", [&] { read("1\n2\n1234567\n3\n", 6); });
}

TEST_F(TextReaderTest, RowsBeforeTheErrorComeFirst) {
  const InputFile file(folder_.write("text.csv", "1\n2\n1234567\n3\n"));
  std::vector<std::vector<char>> memory(2, std::vector<char>(4));
  TextReader reader(file, 0, {memory.begin(), memory.end()}, 1);
  const auto chunk = reader.next();
  ASSERT_TRUE(chunk);
  EXPECT_EQ(std::string(chunk->begin(), chunk->end()), "1\n2");
  EXPECT_THROW(reader.next(), Error);
}

TEST_F(TextReaderTest, MayBeLeftBeforeTheEnd) {
  const InputFile file(folder_.write("text.csv", std::string(10000, '\n') + "1"));
  std::vector<std::vector<char>> memory(2, std::vector<char>(16));
  TextReader reader(file, 0, {memory.begin(), memory.end()}, 1);
  EXPECT_TRUE(reader.next());
}

TEST_F(TextReaderTest, NeedsTwoSlots) {
  const InputFile file(folder_.write("text.csv", "1\n"));
  std::vector<char> memory(16);
  EXPECT_THROW(TextReader(file, 0, {memory}, 1), Error);
}

TEST_F(TextReaderTest, MissingFilesAndFoldersAreInputErrors) {
  expect_error(Status::input, "nothing.csv: cannot be read", [&] { InputFile(folder_.path() / "nothing.csv"); });
  expect_error(Status::input, "cannot be read", [&] { InputFile(folder_.path()); });
}

TEST_F(TextReaderTest, AFileIsReadByManyThreadsAsByOne) {
  std::string text(5'000'003, 'x');
  std::mt19937 random(1);
  for (char& c : text) c = static_cast<char>('0' + random() % 10);
  const InputFile file(folder_.write("long.csv", text));
  EXPECT_EQ(file.size(), std::ssize(text));
  for (const int threads : {1, 3, 8})
    for (const std::size_t offset : {0, 1, 4'999'000}) {
      std::vector<char> target(text.size());
      const auto got = file.read(static_cast<std::int64_t>(offset), target, threads);
      ASSERT_EQ(got, std::ssize(text) - static_cast<std::int64_t>(offset));
      ASSERT_TRUE(std::equal(target.begin(), target.begin() + got, text.begin() + static_cast<std::ptrdiff_t>(offset)));
    }
}

}  // namespace
}  // namespace beatscan
