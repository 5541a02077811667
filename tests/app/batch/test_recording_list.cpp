#include "app/batch/recording_list.h"

#include <gtest/gtest.h>

#include <string>

#include "kernels/runtime/error.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

std::vector<ListedRecording> parsed(const std::string& text, const std::string& folder = "") {
  return parse_recording_list(text, folder, "list.csv");
}

void expect_refused(const std::string& part, const std::string& text) {
  expect_error(ErrorKind::input, part, [&] { parsed(text); });
}

TEST(RecordingList, HasOneInputALine) {
  const auto list = parsed("\xEF\xBB\xBF# recordings\r\n\r\n  a.csv \r\nx/b,c.csv\n\t#d\nlast", "in");
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0].input, "in/a.csv");
  EXPECT_EQ(list[0].line, 3);
  EXPECT_EQ(list[1].input, "in/x/b,c.csv") << "without a header a comma is a part of the name";
  EXPECT_EQ(list[2].input, "in/last");
  EXPECT_FALSE(list[0].sample_rate_hz);
  EXPECT_EQ(list[0].name + list[0].truth.string(), "");
}

TEST(RecordingList, HasColumnsInAnyOrder) {
  const auto list = parsed("name , rate,input\n\"say \"\"x\"\", y\", 250.5 ,\"a,b.csv\"\n,,/abs/./c.csv\n", "in/");
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].name, "say \"x\", y");
  EXPECT_EQ(list[0].sample_rate_hz, 250.5);
  EXPECT_EQ(list[0].input, "in/a,b.csv");
  EXPECT_EQ(list[1].input, "/abs/c.csv") << "an absolute path is not seen from the list's folder";
  EXPECT_FALSE(list[1].sample_rate_hz);
  EXPECT_EQ(parsed("truth,input\nt.atr,./a.csv\n", "in")[0].truth, "in/t.atr");
  EXPECT_EQ(parsed("./\n")[0].input, ".") << "the list's folder";
  EXPECT_EQ(parsed("input\na.csv\n")[0].line, 2);
}

// Spreadsheets write capital letters, byte-order marks, CRLF, semicolons, decimal commas, and lines of empty cells.
TEST(RecordingList, IsAsSpreadsheetsWriteIt) {
  for (const std::string text : {
           "Input,Rate,NAME\n\"a,b.csv\",250.5,x\nc.csv,,\n",
           "\xEF\xBB\xBFInput,Rate,Name\r\n\"a,b.csv\",250.5,x\r\nc.csv,,\r\n\r\n,,\r\n\r\n",
           "INPUT;RATE;NAME\na,b.csv;250,5;x\nc.csv;;\n;;\n",
           "input ; rate ; name\r\n\"a,b.csv\" ; 250.5 ; x\r\nc.csv ; ; \r\n",
           "input\trate\tname\na,b.csv\t250,5\tx\nc.csv\t\t\n\t\t\n",
           "input|rate|name\na,b.csv|250.5|x\nc.csv||\n",
           "\"Input\",\"Rate\",\"Name\"\n\"a,b.csv\",\"250.5\",\"x\"\n\"c.csv\",\"\",\"\"\n",
       }) {
    SCOPED_TRACE(text);
    const auto list = parsed(text);
    ASSERT_EQ(list.size(), 2u);
    EXPECT_EQ(list[0].input, "a,b.csv");
    EXPECT_EQ(list[0].sample_rate_hz, 250.5);
    EXPECT_EQ(list[0].name, "x");
    EXPECT_EQ(list[1].input, "c.csv");
    EXPECT_FALSE(list[1].sample_rate_hz);
    EXPECT_EQ(list[1].name, "");
  }
  EXPECT_EQ(parsed("Input\na.csv\n")[0].input, "a.csv");
  EXPECT_EQ(parsed("\"a,b.csv\"\n c;d.csv \n")[0].input, "a,b.csv") << "a list without header";
  EXPECT_EQ(parsed("\"a,b.csv\"\n c;d.csv \n")[1].input, "c;d.csv");
  expect_refused("list.csv:1: 'Hz' is not a column of a list; the columns are", "Input;Hz\na;1\n");
  expect_refused("list.csv:2: expected 2 cells as in the header, found 3; put a cell with a delimiter into quotes",
                 "Input;Rate\na;1;2\n");
  expect_refused("list.csv: has NUL bytes, so it is not UTF-8 text", std::string("\xFF\xFEi\0n\0", 6));
}

TEST(RecordingList, RefusesWhatIsWrongByItsLine) {
  expect_refused("list.csv:1: 'hz' is not a column of a list; the columns are input, rate, truth, name",
                 "input,hz\na,1\n");
  expect_refused("list.csv:1: the header has no column 'input'", "rate,name\n1,a\n");
  expect_refused("list.csv:1: the column 'rate' is there twice", "input,rate,rate\n");
  expect_refused("list.csv:3: expected 2 cells as in the header, found 3", "input,rate\na,1\nb,1,2\n");
  expect_refused("list.csv:2: a quote is not closed", "input,rate\n\"a,1\n");
  expect_refused("list.csv:2: a quote is not closed, or has text after it", "input,rate\n\"a\"b,1\n");
  expect_refused("list.csv:2: the cell of 'input' is empty", "rate,input\n1,\n");
  for (const std::string rate : {"fast", "0", "-250", "inf", "nan", "250Hz"})
    expect_refused("list.csv:2: '" + rate + "' is not a sampling rate", "input,rate\na," + rate + "\n");
  for (const std::string name : {"a/b", ".a", "..", "index.html", "cohort.csv", "failures.csv"})
    expect_refused("list.csv:2: '" + name + "' cannot be the name of a folder", "input,name\na," + name + "\n");
  expect_refused("cannot be the name of a folder: it has more than 200 bytes",
                 "input,name\na," + std::string(201, 'x') + "\n");
  expect_refused("'-' is standard input", "-\n");
  for (const std::string nothing : {"", "\n\n", "# a\n", "input,rate\n"}) expect_refused("names no recording", nothing);
}

TEST(RecordingList, PathsAreSeenFromItsFolder) {
  const TemporaryFolder folder;
  const auto path = folder.write("list.txt", "x/a.csv\n../b.csv\n");
  const auto list = read_recording_list(path);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].input, folder.path() / "x/a.csv");
  EXPECT_EQ(list[1].input, folder.path() / "../b.csv") << "after a link, .. leads to another folder";
  expect_error(ErrorKind::input, "nothing.txt: cannot be read",
               [&] { read_recording_list(folder.path() / "nothing.txt"); });
}

TEST(RecordingList, IsDistinguishedFromARecording) {
  const TemporaryFolder folder;
  for (const std::string list :
       {"input,rate\na.csv,250\n", "\xEF\xBB\xBFinput,rate\na.csv,250\n", "Name;Input\r\nx;a.csv\r\n"})
    EXPECT_TRUE(looks_like_list(folder.write("x.csv", list))) << list;
  for (const std::string other :
       {"", "input\n1\n", "mV\n1\n", "rate,name\n1,2\n", "input,output\n1,2\n", "1,2\n", "time,input,rate\n0,1,2\n"})
    EXPECT_FALSE(looks_like_list(folder.write("x.csv", other))) << other;
  EXPECT_FALSE(looks_like_list(folder.path())) << "a folder";
  EXPECT_FALSE(looks_like_list(folder.path() / "none"));
}

}  // namespace
}  // namespace beatscan
