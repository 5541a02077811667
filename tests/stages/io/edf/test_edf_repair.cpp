// Reads EDF files with one fault in their header, and with interruptions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "stages/io/csv/ingest_options.h"
#include "stages/io/input.h"
#include "tests/stages/io/edf/edf_bytes.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

template <class Context>
class EdfRepair : public OnBackend<Context> {
 protected:
  Recording<Context> read(const std::string& bytes, const std::string& lead = "") {
    const IngestOptions options{.column = lead};
    return read_recording(this->context(), resolve_input(folder_.write("x.edf", bytes), options), options);
  }
  // Expects that a file is read as the sound one is, with a warning that has these words.
  void expect_read(const std::string& words, const std::string& bytes) {
    SCOPED_TRACE(words);
    const auto recording = this->read(bytes), sound = this->read(bytes_of(kSound, kData));
    EXPECT_EQ(to_host(this->context(), recording.leads.at(0).samples),
              to_host(this->context(), sound.leads[0].samples));
    std::string warnings;
    for (const auto& warning : recording.signal.warnings) warnings += warning + "\n";
    EXPECT_NE(warnings.find(words), std::string::npos) << warnings;
  }
  static std::string with(std::size_t begin, std::string text, std::size_t size) {
    text.resize(size, ' ');
    return bytes_of(kSound, kData).replace(begin, size, text);
  }
  inline static const Edf kSound = {{{.label = "ECG II", .physical_min = "-5000", .physical_max = "5000"},
                                     {.label = "Resp", .unit = "", .samples = 1}}};
  inline static const std::vector<int> kData = {1, 2, 3, 4, 9, 5, 6, 7, 8, 9};
  TemporaryFolder folder_;
};
TYPED_TEST_SUITE(EdfRepair, Backends, BackendNames);

TYPED_TEST(EdfRepair, OneFaultInAHeaderCostsNothingButThat) {
  const auto with = this->with;
  constexpr std::size_t kUnits = 256 + 2 * 96, kPhysicalMin = kUnits + 16, kDigitalMin = kPhysicalMin + 32;
  this->expect_read("unit of signal 'ECG II' 'µV'", with(kUnits, "\xb5V", 8));
  this->expect_read("unit of signal 'ECG II' 'µV'", with(kUnits, "\xc2\xb5V", 8));
  this->expect_read("patient 'Müller'", with(8, "M\xfcller", 80));
  this->expect_read("start date '01/02/20'", with(168, "01/02/20", 8));
  this->expect_read("start date '01-02-20'", with(168, "01-02-20", 8));
  this->expect_read("start time '10:00:00'", with(176, "10:00:00", 8));
  this->expect_read("the header's start date is not one: the start is unknown", with(168, "2024-1-2", 8));
  this->expect_read("number of data records '-1'", with(236, "-1", 8));
  this->expect_read("number of bytes '0'", with(184, "0", 8));
  this->expect_read("duration of a data record '1,0'", with(244, "1,0", 8));
  this->expect_read("duration of a data record '1e0'", with(244, "1e0", 8));
  this->expect_read("duration of a data record '10.0E-1'", with(244, "10.0E-1", 8));
  this->expect_read("physical minimum of signal 'ECG II' '-5000,0'", with(kPhysicalMin, "-5000,0", 8));
  this->expect_read("digital minimum of signal 'ECG II' '-32768.0'", with(kDigitalMin, "-32768.0", 8));
  this->expect_read("label of signal", with(256 + 16, "Atm\xfcng", 16));
}

TYPED_TEST(EdfRepair, UnitsAndStartOfARepairedHeader) {
  auto recording = this->read(this->with(256 + 2 * 96, "\xb5V", 8));
  EXPECT_EQ(recording.leads[0].unit, "µV");
  EXPECT_EQ(recording.signal.names, (std::vector<std::string>{"ECG II", "Resp"}));
  recording = this->read(this->with(168, "01/02/20", 8));
  ASSERT_TRUE(recording.signal.start);
  EXPECT_EQ(date_text(*recording.signal.start), "2020-02-01");
  EXPECT_FALSE(this->read(this->with(168, "2024-1-2", 8)).signal.start->date == recording.signal.start->date);
}

TYPED_TEST(EdfRepair, LimitsInTheWrongOrderGiveTheSameValues) {
  auto turned = this->kSound;
  std::swap(turned.signals[0].digital_min, turned.signals[0].digital_max);
  std::swap(turned.signals[0].physical_min, turned.signals[0].physical_max);
  this->expect_read("digital minimum of signal 'ECG II' '32767'", bytes_of(turned, this->kData));
}

TYPED_TEST(EdfRepair, ADeadChannelCostsThatChannel) {
  auto dead = this->kSound;
  dead.signals[1].digital_min = dead.signals[1].digital_max = 0;
  this->expect_read("signal 'Resp' has no scale and is left out: its digital minimum and maximum are equal",
                    bytes_of(dead, this->kData));
  dead = this->kSound;
  dead.signals[1].physical_min = dead.signals[1].physical_max;
  const auto bytes = bytes_of(dead, this->kData);
  this->expect_read("signal 'Resp' has no scale and is left out: its physical minimum and maximum are equal", bytes);
  expect_error(ErrorKind::input, "signal 'Resp' has no scale", [&] { this->read(bytes, "Resp"); });
  dead.signals[1].label = "ECG V5";
  EXPECT_EQ(this->read(bytes_of(dead, this->kData)).leads.size(), 1u);
}

TYPED_TEST(EdfRepair, ASignalWithoutSamplesIsPassedOver) {
  auto empty = this->kSound;
  empty.signals.push_back({.label = "EDF Annotations", .unit = "", .samples = 0});
  this->expect_read("signal 'EDF Annotations' has no samples", bytes_of(empty, this->kData));
}

TYPED_TEST(EdfRepair, WhatNothingMakesUpForNamesTheField) {
  for (const auto& [begin, size, words] :
       {std::tuple{244, 8, "header: duration of a data record 'x'"},
        {256 + 2 * (16 + 80 + 8 * 5 + 80), 8, "header: samples per record of signal 'ECG II' 'x'"}})
    expect_error(ErrorKind::input, words, [&] { this->read(this->with(begin, "x", size)); });
}

// Returns a file of data records that begin at these times.
std::string with_onsets(const std::string& kind, const std::vector<std::string>& onsets) {
  std::vector<int> data;
  for (std::size_t record = 0; record < onsets.size(); ++record) {
    for (int i = 0; i < 4; ++i) data.push_back(static_cast<int>(4 * record) + i + 1);
    std::string annotation = onsets[record] + std::string("\x14\x14\0", 3);
    annotation.resize(12);
    for (std::size_t i = 0; i < annotation.size(); i += 2) data.push_back(annotation[i] | annotation[i + 1] << 8);
  }
  return bytes_of({{{.physical_min = "-32768", .physical_max = "32767"},
                    {.label = "EDF Annotations", .unit = "", .physical_min = "-1", .physical_max = "1", .samples = 6}},
                   kind},
                  data);
}

TYPED_TEST(EdfRepair, InterruptionsAreGaps) {
  const auto recording = this->read(with_onsets("EDF+D", {"+0", "+1", "+3.5", "+4.5"}));
  EXPECT_EQ(recording.signal.format, "EDF+");
  EXPECT_EQ(recording.samples(), 16 + 6);
  EXPECT_EQ(recording.leads[0].missing, 6);
  EXPECT_EQ(to_host(this->context(), recording.leads[0].gap_firsts), std::vector<std::int64_t>{8});
  EXPECT_EQ(to_host(this->context(), recording.leads[0].gap_lasts), std::vector<std::int64_t>{13});
  const auto samples = to_host(this->context(), recording.leads[0].samples);
  EXPECT_EQ(samples[7], 8);
  EXPECT_EQ(samples[14], 9);
  EXPECT_EQ(samples[21], 16);
}

TYPED_TEST(EdfRepair, AnUnknownFirstOnsetLeavesTheGapsBehindIt) {
  for (const char* unknown : {"", "x"}) {
    const auto recording = this->read(with_onsets("EDF+D", {unknown, unknown, "+2", "+4.5"}));
    EXPECT_EQ(recording.samples(), 16 + 6);
    EXPECT_EQ(to_host(this->context(), recording.leads[0].gap_firsts), std::vector<std::int64_t>{12});
    EXPECT_NE(recording.signal.warnings.back().find("the first 2 data records have no onset"), std::string::npos)
        << recording.signal.warnings.back();
  }
}

TYPED_TEST(EdfRepair, OnsetsThatCannotBe) {
  const auto overlapping = this->read(with_onsets("EDF+D", {"+0", "+0.1", "+2"}));
  EXPECT_EQ(overlapping.samples(), 12);
  EXPECT_NE(overlapping.signal.warnings.back().find("1 data record begins before the one before ends"),
            std::string::npos);
  expect_error(ErrorKind::input, "data record 1 begins at 99999 s, far later than the one before it ends", [&] {
    this->read(with_onsets("EDF+D", {"+0", "+99999"}));
  });
}

}  // namespace
}  // namespace beatscan
