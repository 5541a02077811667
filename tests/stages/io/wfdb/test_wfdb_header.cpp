#include "stages/io/wfdb/wfdb_header.h"

#include <gtest/gtest.h>

#include <string>

#include "kernels/runtime/error.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

WfdbHeader parsed(const std::string& text) { return parse_wfdb_header(text, "x.hea"); }
WfdbSignal signal_of(const std::string& line) { return parsed("x 1 360 100\n" + line + "\n").signals.at(0); }
void expect_refused(const std::string& part, const std::string& text) {
  expect_error(ErrorKind::input, part, [&] { parsed(text); });
}
void expect_line_refused(const std::string& part, const std::string& line) {
  expect_refused("x.hea:2: " + part, "x 1 360 100\n" + line + "\n");
}

TEST(WfdbHeader, OfMitBih) {
  const auto header = parsed(
      "205 2 360 650000\n"
      "205.dat 212 200 11 1024 938 -12254 0 MLII\n"
      "205.dat 212 200 11 1024 916 8698 0 V1\n"
      "# 59 M 1957 694 x2\n");
  EXPECT_EQ(header.frame_rate_hz, 360);
  EXPECT_EQ(header.frames, 650'000);
  ASSERT_EQ(header.signals.size(), 2u);
  const auto& lead = header.signals[0];
  EXPECT_EQ(lead.file, "205.dat");
  EXPECT_EQ(lead.format, 212);
  EXPECT_EQ(lead.samples_per_frame, 1);
  EXPECT_EQ(lead.gain, 200);
  EXPECT_EQ(lead.baseline, 1024) << "the ADC's zero";
  EXPECT_EQ(lead.unit, "mV");
  EXPECT_EQ(lead.initial, 938);
  EXPECT_EQ(lead.checksum, 65536 - 12254);
  EXPECT_EQ(lead.name, "MLII");
  EXPECT_EQ(header.signals[1].name, "V1");
}

TEST(WfdbHeader, EveryPartOfASignalLine) {
  const auto signal = signal_of("d/x.dat 16x4:3+24 -1.5e-2(-100)/uV/Hz 12 2048 7 -5 0 a lead, \t with blanks  ");
  EXPECT_EQ(signal.file, "d/x.dat");
  EXPECT_EQ(signal.format, 16);
  EXPECT_EQ(signal.samples_per_frame, 4);
  EXPECT_EQ(signal.skew, 3);
  EXPECT_EQ(signal.offset, 24);
  EXPECT_EQ(signal.gain, -0.015);
  EXPECT_EQ(signal.baseline, -100);
  EXPECT_EQ(signal.unit, "uV/Hz");
  EXPECT_EQ(signal.initial, 7);
  EXPECT_EQ(signal.checksum, 65531);
  EXPECT_EQ(signal.name, "a lead, \t with blanks");
}

TEST(WfdbHeader, WhatMayLack) {
  auto signal = signal_of("x.dat 80");
  EXPECT_EQ(signal.gain, 200);
  EXPECT_EQ(signal.unit, "") << "not calibrated";
  EXPECT_EQ(signal.baseline, 0);
  EXPECT_EQ(signal.checksum, std::nullopt);
  EXPECT_EQ(signal.name, "0");
  signal = signal_of("x.dat 80 0 8 128 1 0");
  EXPECT_EQ(signal.gain, 200);
  EXPECT_EQ(signal.unit, "");
  EXPECT_EQ(signal.baseline, 128);
  EXPECT_EQ(signal.checksum, std::nullopt) << "0 says nothing";
  EXPECT_EQ(signal_of("x.dat 16 100").unit, "mV");
  EXPECT_EQ(signal_of("x.dat 16 100 12 5").initial, 5) << "the ADC's zero";
  const auto header = parsed("x 1\nx.dat 16\n");
  EXPECT_EQ(header.frame_rate_hz, std::nullopt) << "not guessed";
  EXPECT_EQ(header.frames, 0);
}

TEST(WfdbHeader, RecordLines) {
  EXPECT_EQ(parsed("x 0 128/64.5(3) 7 12:00:00 01/02/2026").frame_rate_hz, 128);
  EXPECT_EQ(parsed("x 0 499.31 7").frame_rate_hz, 499.31);
  EXPECT_EQ(parsed("# first\r\n\r\n  x 0 250 7\r\n").frames, 7);
  EXPECT_EQ(parsed("x 1 250 7\n#\nx.dat 16\nx.dat 16 more than announced\n").signals.size(), 1u);
}

TEST(WfdbHeader, Segments) {
  const auto header = parsed("x/3 2 250 30\nx_layout 0\n~ 10\nx_1 20\n");
  ASSERT_EQ(header.segments.size(), 3u);
  EXPECT_EQ(header.segments[1].name, "~");
  EXPECT_EQ(header.segments[2].name, "x_1");
  EXPECT_EQ(header.segments[2].frames, 20);
  EXPECT_TRUE(header.signals.empty());
}

TEST(WfdbHeader, WhatIsNoHeader) {
  expect_refused("x.hea: is empty", "");
  expect_refused("x.hea: is empty", "# comment\n\n");
  expect_refused("x.hea: byte 3 is NUL: this is no WFDB header", std::string("x 1\0x", 5));
  expect_refused("x.hea:1: is no record line", "x");
  expect_refused("x.hea:1: number of signals 'many' is not a number", "x many");
  expect_refused("x.hea:1: number of signals '-1' is out of range", "x -1");
  expect_refused("x.hea:1: number of signals '1.5' is not a whole number", "x 1.5");
  expect_refused("x.hea:1: number of signals 'nan' is not a number", "x nan");
  expect_refused("x.hea:1: number of signals '1e300' is out of range", "x 1e300");
  expect_refused("x.hea: has 0 signals where the record line says 1000000000", "x 1000000000 360 100\n");
  expect_refused("x.hea: has 1 segment where the record line says 2", "x/2 1 360 100\nx_1 100\n");
  expect_refused("x.hea:1: number of segments '' is not a number", "x/ 1 360 100\n");
  for (const char* rate : {"0", "-360", "1e400", "inf", "nan", "1e10", "36O"})
    expect_refused("x.hea:1: sampling frequency '" + std::string(rate) + "' is ", "x 1 " + std::string(rate));
  expect_refused("x.hea:1: number of samples '-5' is out of range", "x 1 360 -5");
  expect_refused("x.hea:2: number of samples '1e16' is out of range", "x/1 1 360\nx_1 1e16\n");
}

TEST(WfdbHeader, SignalLinesThatDoNotServe) {
  expect_line_refused("format '' is not a number", "x.dat");
  expect_line_refused("format '' is not a number", "x.dat FLAC");
  expect_line_refused("samples per frame '0' is out of range", "x.dat 16x0");
  expect_line_refused("samples per frame '99999999999' is out of range", "x.dat 16x99999999999");
  expect_line_refused("skew '' is not a number", "x.dat 16:-1");
  expect_line_refused("format '16+3x2' is not FORMAT[xSAMPLES][:SKEW][+OFFSET]", "x.dat 16+3x2");
  for (const char* gain : {"nan", "inf", "1e999", "x", "1e13", "-1e-13", "1e300"})
    expect_line_refused("gain '" + std::string(gain) + "' is ", "x.dat 16 " + std::string(gain));
  expect_line_refused("gain '200(5/mV' is not GAIN(BASELINE)/UNIT", "x.dat 16 200(5/mV");
  expect_line_refused("baseline 'x' is not a number", "x.dat 16 200(x)");
  expect_line_refused("baseline '1e10' is out of range", "x.dat 16 200(1e10)");
  expect_line_refused("ADC resolution '-1' is out of range", "x.dat 16 200 -1");
  expect_line_refused("ADC zero 'x' is not a number", "x.dat 16 200 11 x");
  expect_line_refused("initial value 'x' is not a number", "x.dat 16 200 11 0 x");
  expect_line_refused("checksum 'x' is not a number", "x.dat 16 200 11 0 0 x");
  expect_line_refused("block size '-1' is out of range", "x.dat 16 200 11 0 0 0 -1");
  expect_line_refused("gain '" + std::string(40, '9') + "…' is not a number", "x.dat 16 " + std::string(100'000, '9'));
}

// The header is as long as it may be, and its lines as short as they may be. The number of signals is bounded.
TEST(WfdbHeader, ManyLines) {
  std::string text = "x 1000000 1000000 360\n";
  for (int i = 0; i < 1'000'000; ++i) text += "a 1\n";
  expect_refused("x.hea:10002: more than 10000 signals", text);
  text.replace(0, 2, "x/1000000 ");
  expect_refused("x.hea:100002: more than 100000 segments", text);
}

TEST(WfdbHeader, BaseTimeAndDate) {
  const auto start_of = [](const std::string& end) { return parsed("x 0 128 7" + end + "\n").start; };
  const std::chrono::year_month_day day{std::chrono::year(2026), std::chrono::February, std::chrono::day(1)};
  EXPECT_EQ(start_of(" 13:5:0 01/02/2026"), (StartTime{47100, day}));
  EXPECT_EQ(start_of(" 13:05:00.125"), (StartTime{47100.125}));
  EXPECT_EQ(start_of(" 13:05:00 31/02/2026"), (StartTime{47100})) << "no such day";
  EXPECT_EQ(start_of(" 0:0:0 02/01/2026")->second_of_day, 0);
  for (const char* none : {"", " 0:0:0 0/0/0", " 0:0:0", " 00:00:00 01/01/2000", " 25:00:00", " 10:00", " noon",
                           " 1:2:x", " -1:0:0", " 1::2", " 10:00:60"})
    EXPECT_EQ(start_of(none), std::nullopt) << none;
}

}  // namespace
}  // namespace beatscan
