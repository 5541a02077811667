// Tests which columns of a table are read: counters, digital inputs, other signals, and rows of leads in turn.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/stages/io/csv/csv_header_case.h"

namespace beatscan {
namespace {

class CsvChoice : public CsvHeaderCase {};

// Returns a table of 40 rows: the row's number, a time of 250 Hz, and a signal.
std::string counted_rows(const std::string& header, bool with_time = false) {
  std::string text = header + "\n";
  for (int row = 0; row < 40; ++row)
    text += std::to_string(row) + (with_time ? "," + std::to_string(row * 0.004) : "") + "," +
            std::to_string(row * 7 % 5) + "\n";
  return text;
}

TEST_F(CsvChoice, ACounterThatIsNamedLikeALeadIsNone) {
  for (const char* header : {"i,voltage", "i,A0", "i,ecg", "V1,V2", "I,ECG_value"}) {
    const auto found = read(counted_rows(header));
    EXPECT_EQ(found.leads, std::vector{1}) << header;
    ASSERT_EQ(found.warnings.size(), 1u) << header;
    EXPECT_NE(found.warnings[0].find("rises evenly: it is taken for row numbers or times and left out"),
              std::string::npos);
  }
  EXPECT_EQ(read(counted_rows("i,V1,V2", true)).leads, std::vector{2}) << "V1 has times";
  EXPECT_EQ(column_of(counted_rows("i,voltage"), "i"), 0) << "it may be asked for";
  EXPECT_EQ(read(counted_rows("i,voltage"), {.leads = {"i", "voltage"}}).leads, (std::vector{0, 1}));
  EXPECT_EQ(read("I,II\n0,0\n1,1\n2,2\n").leads, (std::vector{0, 1})) << "too few rows to know";
  std::string all_rise = "I,II\n";
  for (int row = 0; row < 40; ++row) all_rise += std::to_string(row) + "," + std::to_string(2 * row) + "\n";
  EXPECT_EQ(read(all_rise).leads, (std::vector{0, 1})) << "nothing else can be the signal";
}

TEST_F(CsvChoice, DiNextToNseqIsADigitalInput) {
  std::string text = "nSeq,DI,CH1\n";
  for (int row = 0; row < 40; ++row) text += std::to_string(row) + ",0," + std::to_string(row * 7 % 5) + "\n";
  EXPECT_EQ(read(text).leads, std::vector{2});
  EXPECT_EQ(column_of("DI,CH1\n1,2\n"), 0) << "a lead elsewhere";
}

TEST_F(CsvChoice, ATableWithARowForEachLeadIsRefused) {
  std::string text = "time,lead,value\n", labels = "time,label,ECG\n";
  for (int row = 0; row < 40; ++row) {
    for (const char* lead : {"I", "II"}) text += std::to_string(row * 0.004) + "," + lead + ",1\n";
    for (int copy = 0; copy < 2; ++copy) labels += std::to_string(row * 0.004) + ",N,1\n";
  }
  expect_refused("its rows alternate between several leads: column 'lead' has 'I', 'II' for each time; give each lead",
                 text);
  expect_refused("; --set ingest.time_column=- reads the file anyway", text);
  EXPECT_EQ(read(text, {.time_column = "-"}).leads, std::vector{2});
  EXPECT_EQ(column_of(labels), 2) << "one label does not name leads";
}

TEST_F(CsvChoice, ALongNameOfACounterIsCutAsElsewhere) {
  const std::string name = "Ableitung " + std::string(40, '1') + " I";  // 52 bytes, and ECG by its words
  const auto found = read(counted_rows(name + ",ecg"));
  ASSERT_EQ(found.warnings.size(), 1u);
  EXPECT_TRUE(found.warnings[0].starts_with("column 'Ableitung " + std::string(30, '1') +
                                            "…' rises evenly: it is taken for row numbers or times and left out; "
                                            "--lead NAME reads it, and --set ingest.time_column=NAME takes it"))
      << found.warnings[0];
}

TEST_F(CsvChoice, ALongNameOfTheColumnThatIsReadIsCut) {
  const auto found = read(std::string(100, 'w') + ",b\n1,2\n");
  ASSERT_EQ(found.warnings.size(), 1u);
  EXPECT_TRUE(found.warnings[0].starts_with("column '" + std::string(40, 'w') + "…' is read, and not 'b'"))
      << found.warnings[0];
}

TEST_F(CsvChoice, AColumnNamedLikeAnotherSignalIsReadWithAWarning) {
  const std::string warning = "no column is named like an ECG: 'resp' is read, which seems to be another signal";
  using Texts = std::vector<std::string>;
  EXPECT_EQ(read("time,resp\n0,1\n").warnings, Texts{warning + "; --lead NAME chooses another"});
  EXPECT_EQ(read("resp\n1\n").warnings, Texts{warning}) << "there is no other to choose";
  EXPECT_EQ(read("resp,ppg\n1,2\n").warnings,
            (Texts{warning,
                   "column 'resp' is read, and not 'ppg'; --lead NAME chooses another, --set "
                   "ingest.leads=NAME,NAME several"}));
  for (const char* text : {"time,value\n0,1\n", "time,ECG_resp\n0,1\n", "resp,II\n1,2\n"})
    EXPECT_TRUE(read(text).warnings.empty()) << text;
  EXPECT_TRUE(read("time,resp\n0,1\n", {.column = "resp"}).warnings.empty()) << "it was asked for";
}

TEST_F(CsvChoice, NumberedChannelsAreAllRead) {
  const auto all = read("time,CH1,CH2,channel_3\n0,1,5,2\n0.004,2,4,7\n");
  EXPECT_EQ(all.leads, (std::vector{1, 2, 3}));
  EXPECT_EQ(all.warnings, std::vector<std::string>{
                              "no column is named like an ECG: 'CH1', 'CH2', 'channel_3' are taken for its leads; "
                              "--lead NAME reads one, --set ingest.leads=NAME,NAME some of them"});
  const auto first = read("time,CH1,CH2\n0,1,5\n0.004,2,4\n", {.first_alone = true});
  EXPECT_EQ(first.leads, std::vector{1});
  EXPECT_EQ(first.warnings,
            std::vector<std::string>{"column 'CH1' is read, and not 'CH2'; --lead NAME chooses another, "
                                     "--set ingest.leads=NAME,NAME several"});
  EXPECT_EQ(read("CH1,CH2,temperature\n1,2,3\n").leads, std::vector{0}) << "a descriptive name";
  EXPECT_EQ(read("CH1,CH2,II\n1,2,3\n").leads, std::vector{2}) << "the ECG among them";
  expect_refused("2 columns and no header", "1,2\n3,4\n");
}

TEST_F(CsvChoice, NumberedChannelsOfOneUnitThatDoNotCount) {
  EXPECT_EQ(read("time,CH1,CH2\ns,mV,mV\n0,1,5\n0.004,2,4\n").leads, (std::vector{1, 2}));
  EXPECT_EQ(read("time,CH1,CH2\ns,mV,mmHg\n0,1,5\n0.004,2,4\n").leads, std::vector{1}) << "a pressure";
  EXPECT_EQ(read("CH1 (mV),CH2 (uV)\n1,5\n2,4\n").leads, std::vector{0});
  std::string counted = "CH1,CH2,CH3\n", names = "CH1", numbers = "1";
  for (int row = 0; row < 40; ++row)
    counted += std::to_string(row) + "," + std::to_string(row * 7 % 5) + "," + std::to_string(row * 3 % 7) + "\n";
  EXPECT_EQ(read(counted).leads, (std::vector{1, 2})) << "CH1 holds row numbers";
  for (int i = 2; i <= 12; ++i) names += ",CH" + std::to_string(i), numbers += "," + std::to_string(i);
  EXPECT_EQ(read(names + "\n" + numbers + "\n").leads.size(), 12u);
  EXPECT_EQ(read(names + ",CH13\n" + numbers + ",13\n").leads, std::vector{0}) << "more than an ECG has";
}

}  // namespace
}  // namespace beatscan
