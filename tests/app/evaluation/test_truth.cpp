#include "app/evaluation/truth.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/runtime/error.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {

bool operator==(const ReferenceBeat& a, const ReferenceBeat& b) { return a.sample == b.sample && a.symbol == b.symbol; }
void PrintTo(const ReferenceBeat& beat, std::ostream* out) { *out << beat.sample << ',' << beat.symbol; }

namespace {

using Beats = std::vector<ReferenceBeat>;

class Truth : public testing::Test {
 protected:
  Beats read(const std::string& name, const std::string& contents) { return read_truth(folder_.write(name, contents)); }
  void expect_refused(const std::string& name, const std::string& contents, const std::string& message) {
    SCOPED_TRACE(message);
    expect_error(ErrorKind::input, message, [&] { read(name, contents); });
  }

  TemporaryFolder folder_;
};

TEST_F(Truth, BeatsThatGoBackInTimeAreCounted) {
  const std::string table = "sample,symbol\n10,N\n30,N\n20,V\n40,N\n5,N\n";
  EXPECT_EQ(beats_out_of_order(folder_.write("x.csv", table)), 2);
  EXPECT_EQ(read_beats(folder_.write("x.csv", table), {}).out_of_order, 2);
  using namespace std::string_literals;
  // N after 30 ticks, then 20 back by a skip (code 59) of -20, and N after 30 and 20
  const std::string annotations = "\x1e\x04\x00\xec\xff\xff\xec\xff\x00\x04\x1e\x04\x14\x04\x00\x00"s;
  const auto path = folder_.write("x.atr", annotations);
  EXPECT_EQ(beats_out_of_order(path), 1);
  EXPECT_EQ(read_beats(path, {}).out_of_order, 1);
  EXPECT_EQ(read_truth(path).size(), 4u);
}

TEST(BeatClasses, AreThoseOfTheContract) {
  const auto expect_class = [](const std::string& symbols, BeatClass expected) {
    for (const char symbol : symbols) EXPECT_EQ(class_of(symbol), expected) << symbol;
  };
  expect_class("NLRej", BeatClass::normal);
  expect_class("AaJS", BeatClass::supraventricular);
  expect_class("VE", BeatClass::ventricular);
  expect_class("F", BeatClass::fusion);
  expect_class("B/fQnr?", BeatClass::unknown);
  int beats = 0;
  for (int symbol = 0; symbol < 256; ++symbol) beats += class_of(static_cast<char>(symbol)).has_value();
  EXPECT_EQ(beats, 19);
}

TEST_F(Truth, ReadsCsv) {
  const Beats expected = {{0, 'N'}, {70, 'V'}, {3'000'000'000, '/'}};
  EXPECT_EQ(read("a.csv", "sample,symbol\n0,N\n70,V\n3000000000,/\n"), expected);
  EXPECT_EQ(read("b.CSV", "sample,symbol\n0,N\n70,V\n3000000000,/"), expected) << "no line end at the end";
  EXPECT_EQ(read("c.csv", "sample,symbol\r\n0,N\r\n70,V\r\n3000000000,/\r\n\r\n"), expected) << "CRLF, blank last line";
  EXPECT_EQ(read("d.csv", "sample,symbol\n70,V\n3000000000,/\n0,N\n\n"), expected) << "not in order";
  EXPECT_EQ(read("e.csv", "symbol,time_s,sample\nN,0.0,0\nV,0.1,70\n/,9,3000000000\n"), expected) << "columns by name";
  EXPECT_EQ(read("f.csv", "\xEF\xBB\xBFsample,symbol\n0,N\n70,V\n3000000000,/\n"), expected) << "byte order mark";
}

TEST_F(Truth, ReadsTablesOfOtherForms) {
  const Beats expected = {{0, 'N'}, {70, 'V'}};
  EXPECT_EQ(read("a.csv", "sample;symbol\n0;N\n70;V\n"), expected);
  EXPECT_EQ(read("a.tsv", "Sample\tType\n0\tN\n70\tV\n"), expected);
  EXPECT_EQ(read("a.txt", "sample symbol\n   0  N\n  70\tV\n"), expected) << "blanks";
  EXPECT_EQ(read("a.csv", "\"sample\",\"label\"\n\"0\",\"N\"\n70.0,V\n"), expected);
  EXPECT_EQ(read("a.csv", "sample,label,note\n0,N,\"early, narrow\"\n70,V,\n"), expected);
  const auto timed = [&](const std::string& contents) {
    return read_truth(folder_.write("t.csv", contents), {.sample_rate_hz = 250});
  };
  EXPECT_EQ(timed("time_s,symbol\n0,N\n0.28,V\n"), expected);
  EXPECT_EQ(timed("Time [ms];symbol\n0;N\n280,0;V\n"), expected);
  EXPECT_EQ(timed("time symbol\n0:00.000 N\n0:00.280 V\n"), expected);
  EXPECT_EQ(timed("time_s,sample,symbol\n9,0,N\n9,70,V\n"), expected) << "samples come first";
  expect_refused("t.csv", "time,symbol\nx,N\n", "t.csv:2: 'x' is not a time since the start");
  expect_refused("t.csv", "time,symbol\n-1,N\n", "t.csv:2: '-1' is not a time since the start");
  expect_refused("t.csv", "when,symbol\n1,N\n", "t.csv:1: the header has no column 'sample' and none of times");
  expect_refused("t.csv", "rr_ms,symbol\n800,N\n", "as RR intervals alone are not read: their sums are times");
  expect_refused("t.csv", "sample,what\n1,N\n", "t.csv:1: the header has no column 'symbol'");
}

TEST_F(Truth, AListWithoutSignalHasItsSymbolsUnderTheSameNames) {
  for (const std::string name : {"symbol", "Label", "annotation", "type"}) {
    const ListedBeats listed = read_beats(folder_.write("b.csv", "sample," + name + "\n0,N\n70,V\n"), {});
    EXPECT_EQ(listed.beats, (Beats{{0, 'N'}, {70, 'V'}})) << name;
    EXPECT_EQ(listed.without_symbol, 0) << name;
  }
}

TEST_F(Truth, AListWithoutSignalLeavesOtherLabelsAlone) {
  const auto without_symbol = [&](const std::string& table) {
    return read_beats(folder_.write("b.csv", table), {}).without_symbol;
  };
  EXPECT_EQ(without_symbol("sample,type\n0,beat\n70,beat\n"), 2);
  EXPECT_EQ(without_symbol("sample,label\n0,0\n70,1\n"), 2);
  EXPECT_EQ(without_symbol("sample,label\n0,\n70,V\n"), 1) << "the first that is not empty counts";
  EXPECT_EQ(without_symbol("sample,label\n0,\n70,\n"), 2);
}

TEST_F(Truth, AcceptsARecordingWithoutBeats) {
  EXPECT_EQ(read("a.csv", "sample,symbol\n"), Beats{});
  EXPECT_EQ(read("a.atr", std::string(2, '\0')), Beats{});
}

TEST_F(Truth, KeepsTheFilesOrderOfBeatsAtTheSameSample) {
  EXPECT_EQ(read("a.csv", "sample,symbol\n5,V\n5,N\n1,A\n"), (Beats{{1, 'A'}, {5, 'V'}, {5, 'N'}}));
}

TEST_F(Truth, NamesTheLineOfABadRow) {
  expect_refused("t.csv", "sample,symbol\n1,N\n2,+\n", "t.csv:3: '+' is not a beat symbol");
  expect_refused("t.csv", "sample,symbol\n1,NN\n", "t.csv:2: 'NN' is not a beat symbol");
  expect_refused("t.csv", "sample,symbol\n1,\n", "t.csv:2: '' is not a beat symbol");
  expect_refused("t.csv", "sample,symbol\n1.5,N\n", "t.csv:2: '1.5' is not a sample number");
  expect_refused("t.csv", "sample,symbol\n-1,N\n", "t.csv:2: '-1' is not a sample number");
  expect_refused("t.csv", "sample,symbol\n99999999999999999999,N\n", "t.csv:2: '99999999999999999999' is not");
  expect_refused("t.csv", "sample,symbol\n1,N\n\n2,N\n", "t.csv:3: expected 2 cells as in the header, found 1");
  expect_refused("t.csv", "sample,symbol\n1,N,x\n", "t.csv:2: expected 2 cells as in the header, found 3");
  expect_refused("t.csv", "1,N\n2,N\n", "t.csv:1: the header has no column 'sample'");
  expect_refused("t.csv", "", "t.csv:1: the file is empty");
  expect_refused("t.csv", "sample,symbol\n\x1B[2J,N\n", "t.csv:2: '?[2J' is not a sample number");
}

TEST_F(Truth, NamesAFileThatCannotBeRead) {
  const auto missing = folder_.path() / "missing.csv";
  expect_error(ErrorKind::input, missing.string() + ": cannot be read (No such file", [&] { read_truth(missing); });
  expect_error(ErrorKind::input, "is a folder", [&] { read_truth(folder_.path()); });
}

// Writes the MIT annotation format, word by word.
class Annotations {
 public:
  Annotations& word(unsigned code, unsigned number) {
    const unsigned value = code << 10 | number;
    bytes_ += {static_cast<char>(value & 0xFF), static_cast<char>(value >> 8)};
    return *this;
  }
  Annotations& skip(std::int32_t interval) {
    const auto bits = static_cast<std::uint32_t>(interval);
    word(59, 0);
    return word(bits >> 26, bits >> 16 & 0x3FF).word(bits >> 10 & 0x3F, bits & 0x3FF);
  }
  Annotations& text(const std::string& text) {
    word(63, static_cast<unsigned>(text.size()));
    bytes_ += text + std::string(text.size() % 2, '\0');
    return *this;
  }
  std::string end() { return word(0, 0).bytes_; }
  std::string unfinished() const { return bytes_; }

 private:
  std::string bytes_;
};

TEST_F(Truth, ReadsAnnotationsByteByByte) {
  // '+' (code 28) at 18 with a note of 3 bytes, N (1) 59 later, SKIP by 0x00012345, V (5) 2 after that, and the end
  // mark.
  const unsigned char bytes[] = {0x12, 0x70, 0x03, 0xFC, '(',  'N',  0,    0,    0x3B, 0x04,
                                 0x00, 0xEC, 0x01, 0x00, 0x45, 0x23, 0x02, 0x14, 0,    0};
  EXPECT_EQ(read("205.atr", {reinterpret_cast<const char*>(bytes), sizeof bytes}),
            (Beats{{77, 'N'}, {77 + 0x12345 + 2, 'V'}}));
}

TEST_F(Truth, PassesOverAnnotationsThatAreNoBeats) {
  Annotations file;
  file.word(28, 10).text("(AFIB").word(60, 2).word(61, 1023).word(62, 1);  // rhythm change; NUM, SUB, CHN have no time
  file.word(14, 5).word(1, 5).word(22, 1).text("").word(38, 1);
  EXPECT_EQ(read("a.atr", file.end()), (Beats{{20, 'N'}, {22, 'f'}}));
}

TEST_F(Truth, KnowsTheCodeOfEverySymbol) {
  // The symbols of the codes 0 to 41 in ecgcodes.h.
  const std::string table = " NLRaVFJASEj/Q~ | sT*D\"=pB^t+u?![]en@xf()r";
  ASSERT_EQ(table.size(), 42u);
  Annotations file;
  Beats expected;
  for (unsigned code = 1; code < 50; ++code) {
    file.word(code, 1);
    if (code < table.size() && class_of(table[code])) expected.push_back({code, table[code]});
  }
  EXPECT_EQ(expected.size(), 19u);
  EXPECT_EQ(read("a.qrs", file.end()), expected);
}

TEST_F(Truth, SkipsForwardAndBack) {
  Annotations file;
  file.skip(1'000'000).word(1, 0).skip(-500'000).word(5, 100).skip(2'000'000'000).word(1, 1023);
  EXPECT_EQ(read("a.atr", file.end()), (Beats{{500'100, 'V'}, {1'000'000, 'N'}, {2'000'501'123, 'N'}}));
}

TEST_F(Truth, RefusesADamagedAnnotationFile) {
  expect_refused("a.atr", "", "a.atr: byte 0: the file ends before its end mark");
  expect_refused("a.atr", Annotations().word(1, 5).unfinished(), "a.atr: byte 2: the file ends before its end mark");
  expect_refused("a.atr", Annotations().word(1, 5).unfinished() + "x", "a.atr: byte 2: the file ends");
  expect_refused("a.atr", Annotations().word(59, 0).word(0, 1).unfinished(), "a.atr: byte 4: the file ends");
  expect_refused("a.atr", Annotations().word(63, 9).unfinished() + "abcd", "a.atr: byte 2: the file ends");
  expect_refused("a.atr", Annotations().skip(-5).word(1, 1).end(), "a.atr: byte 8: an annotation before the start");
  expect_refused("a.beats", "sample,symbol\n1,N\n", "or CSV in a file named *.csv");
}

// An annotation file with a beat at 10 ticks and one 5 later, after a note if there is one.
std::string annotations(const std::string& note = "") {
  std::string bytes;
  const auto word = [&](unsigned code, unsigned number) {
    bytes += static_cast<char>((code << 10 | number) & 0xff);
    bytes += static_cast<char>((code << 10 | number) >> 8);
  };
  if (!note.empty()) {
    word(22, 0);
    word(63, static_cast<unsigned>(note.size()));
    bytes += note + (note.size() % 2 ? std::string(1, '\0') : "");
  }
  word(1, 10);
  word(5, 5);
  word(0, 0);
  return bytes;
}

TEST_F(Truth, AnnotationsCountFramesOrByAClockOfTheirOwn) {
  const auto at = [&](const std::string& contents, const SignalClock& clock) {
    return read_truth(folder_.write("a.atr", contents), clock);
  };
  EXPECT_EQ(at(annotations(), {250}), (Beats{{10, 'N'}, {15, 'V'}}));
  EXPECT_EQ(at(annotations(), {1000, 4}), (Beats{{40, 'N'}, {60, 'V'}})) << "four samples a frame";
  EXPECT_EQ(at(annotations("## time resolution: 250"), {250}), (Beats{{10, 'N'}, {15, 'V'}}));
  EXPECT_EQ(at(annotations("## time resolution: 1000"), {250}), (Beats{{3, 'N'}, {4, 'V'}}));
  EXPECT_EQ(at(annotations("## time resolution: 250"), {1000, 4}), (Beats{{40, 'N'}, {60, 'V'}}));
  EXPECT_EQ(at(annotations("## time resolution: 250"), {std::nullopt}), (Beats{{10, 'N'}, {15, 'V'}}));
  EXPECT_EQ(at(annotations("## time resolution: nan"), {1000}), (Beats{{10, 'N'}, {15, 'V'}}));
  EXPECT_EQ(at(annotations("any note"), {1000}), (Beats{{10, 'N'}, {15, 'V'}}));
}

}  // namespace
}  // namespace beatscan
