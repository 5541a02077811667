#include "stages/io/csv/csv_header.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "stages/common/nearest_name.h"
#include "tests/stages/io/csv/csv_header_case.h"

namespace beatscan {
namespace {

using Names = std::vector<std::string>;

class CsvHeaderTest : public CsvHeaderCase {};

TEST_F(CsvHeaderTest, OneColumnWithHeader) {
  const auto header = read("heartbeats\n1\n2\n");
  EXPECT_TRUE(header.has_header);
  EXPECT_EQ(header.columns, Names{"heartbeats"});
  EXPECT_EQ(header.layout.columns, 1);
  EXPECT_EQ(header.layout.column, 0);
  EXPECT_EQ(header.data_offset, 11);
  EXPECT_EQ(header.first_line, 2);
}

TEST_F(CsvHeaderTest, AFirstRowThatIsANumberIsData) {
  for (const char* text : {"1\n2\n", "-4.3e-01\n2\n", " 1 \r\n2\r\n", "\"1\"\n", "1", "1e400\n"}) {
    SCOPED_TRACE(testing::PrintToString(text));
    const auto header = read(text);
    EXPECT_FALSE(header.has_header);
    EXPECT_EQ(header.columns, Names{"0"});
    EXPECT_EQ(header.data_offset, 0);
    EXPECT_EQ(header.first_line, 1);
  }
}

TEST_F(CsvHeaderTest, AFirstRowWithoutAValueIsData) {
  for (const char* text : {"\n1\n", "NaN\n1\n", "na\n1\n", "null\n1\n"}) EXPECT_FALSE(read(text).has_header) << text;
}

TEST_F(CsvHeaderTest, ARaggedRowDoesNotMakeOneColumnOfTwo) {
  std::string text;
  for (int row = 0; row < 64; ++row) text += "1000," + std::to_string(1009 + row) + "\n";
  expect_refused("2 columns and no header", text);
  text.replace(text.find("1000,1030"), 9, "1030");
  expect_refused("2 columns and no header", text);
  EXPECT_FALSE(read(text, {.column = "1"}).edits.decimal_commas);
  for (const char* row : {"-0,5\n", "1,05\n"}) EXPECT_EQ(read(row + std::string("2\n1,25\n3,5\n")).columns.size(), 1u);
}

TEST_F(CsvHeaderTest, FindsTheDelimiter) {
  for (const char delimiter : {',', ';', '\t', '|'}) {
    const auto header = read(std::string("time") + delimiter + "mV\n0" + delimiter + "1\n");
    EXPECT_EQ(header.layout.delimiter, delimiter);
    EXPECT_EQ(header.columns, (Names{"time", "mV"}));
  }
  EXPECT_EQ(read("0,5;1,5\n", {"1"}).layout.delimiter, ';') << "a decimal comma";
  EXPECT_EQ(read("\"a;b\",c\n").layout.delimiter, ',') << "not within quotes";
}

TEST_F(CsvHeaderTest, TakesTheDelimiterThatIsGiven) {
  EXPECT_EQ(read("a;b,c\n", {"", ","}).columns, (Names{"a;b", "c"}));
  EXPECT_EQ(read("a b\n", {"", " "}).columns, (Names{"a", "b"}));
}

TEST_F(CsvHeaderTest, DecimalCommasInQuotesMayBeGiven) {
  const std::string text = "time,ecg\n\"0,000\",\"1,5\"\n\"0,004\",\"1,25\"\n";
  for (const char* delimiter : {"", ","}) {
    const auto header = read(text, {.delimiter = delimiter, .decimal = ","});
    EXPECT_EQ(header.columns, (Names{"time", "ecg"}));
    EXPECT_TRUE(header.edits.commas_in_quotes);
  }
  EXPECT_TRUE(read("time,ecg\n0,000,1,05\n0,004,1,25\n", {.decimal = ","}).edits.commas_in_pairs);
  EXPECT_EQ(read("ecg\n1,5\n", {.decimal = ","}).columns, Names{"ecg"});
  expect_refused("a comma cannot be both ingest.delimiter and ingest.decimal", "time,ecg\n0,1\n",
                 {.delimiter = ",", .decimal = ","});
}

TEST_F(CsvHeaderTest, NamesAreTrimmedAndUnquoted) {
  const auto header = read("\"time\" ,  \" heart, beats \",x\r\n0,1,2\r\n");
  EXPECT_EQ(header.columns, (Names{"time", "heart, beats", "x"}));
  EXPECT_EQ(header.layout.columns, 3);
  EXPECT_EQ(header.data_offset, 30);
}

TEST_F(CsvHeaderTest, PassesOverAByteOrderMark) {
  const auto named = read("\xef\xbb\xbfmV\n1\n");
  EXPECT_EQ(named.columns, Names{"mV"});
  EXPECT_EQ(named.data_offset, 6);
  const auto unnamed = read(
      "\xef\xbb\xbf"
      "1\n2\n");
  EXPECT_FALSE(unnamed.has_header);
  EXPECT_EQ(unnamed.data_offset, 3);
}

TEST_F(CsvHeaderTest, AHeaderAloneEndsWithTheFile) {
  EXPECT_EQ(read("mV").data_offset, 2);
  EXPECT_EQ(read("mV\n").data_offset, 3);
  EXPECT_EQ(read("\xef\xbb\xbfmV").data_offset, 5);
}

TEST_F(CsvHeaderTest, ChoosesTheFirstColumnThatIsNoTime) {
  EXPECT_EQ(column_of("time,MLII,V5\n"), 1);
  EXPECT_EQ(column_of("MLII,time,V5\n"), 0);
  EXPECT_EQ(column_of("Time (s);sample #;V5\n"), 2);
  EXPECT_EQ(column_of(",mV\n"), 1) << "an index column has no name";
  expect_refused("line 1: no column seems to hold a signal: the columns are 'time', 'index'", "time,index\n");
  EXPECT_EQ(column_of("timestamp,samples\n0,1\n4,2\n"), 1);
  EXPECT_EQ(column_of("time,ppg,ECG\n"), 2);
  EXPECT_EQ(read("time,ppg,ECG\n", {.first_alone = true}).layout.column, 2) << "with the method published, too";
  EXPECT_EQ(column_of("time,ppg,my_ecg\n"), 2);
  EXPECT_EQ(column_of("Time (s),Resp,Channel 1,Marker\n"), 2) << "no other signal by its name";
  EXPECT_EQ(column_of("Resp_belt,PPG-finger,response\n"), 2);
  EXPECT_EQ(column_of("Resp,PPG\n"), 0) << "the first, if all are others";
  EXPECT_EQ(column_of("who,value\nme,1\n"), 1) << "text is no signal";
}

TEST_F(CsvHeaderTest, ChoosesByNameOrPosition) {
  EXPECT_EQ(column_of("time,MLII,V5\n", "V5"), 2);
  EXPECT_EQ(column_of("time,MLII,V5\n", "time"), 0);
  EXPECT_EQ(column_of("time,MLII,V5\n", "2"), 2);
  EXPECT_EQ(column_of("1,2,3\n", "2"), 2);
  EXPECT_EQ(column_of("a,0\n", "0"), 1) << "a name wins over a position";
  EXPECT_EQ(column_of("'Elapsed time','MLII','V5'\n", "V5"), 2) << "rdsamp of WFDB quotes the names";
  EXPECT_EQ(column_of("'Elapsed time','MLII','V5'\n", "'V5'"), 2);
}

TEST_F(CsvHeaderTest, NamesInLatin1AreReadAsText) {
  EXPECT_EQ(read("a;Ger\xe4t [\xb5V]\n", {"1"}).columns[1], "Gerät [µV]");
  EXPECT_EQ(column_of("a;Ger\xe4t [\xb5V]\n", "Gerät [µV]"), 1);
  EXPECT_EQ(column_of("a;Ger\xe4t [\xb5V]\n", "Ger\xe4t [\xb5V]"), 1) << "as the file has it";
  EXPECT_EQ(read("a;Gerät \xe2\x82\xac\n", {"1"}).columns[1], "Gerät €") << "UTF-8 stays as it is";
}

TEST_F(CsvHeaderTest, LeadsOfOtherLanguagesAreLeads) {
  EXPECT_EQ(read("Zeit;Ableitung II [\xb5V];Ableitung V1 [\xb5V]\n").leads, (std::vector{1, 2}));
  EXPECT_EQ(read("DI,DII,DIII\n").leads, (std::vector{0, 1, 2}));
}

TEST_F(CsvHeaderTest, TimesAndLeadsHaveTheirNamesInManyLanguages) {
  for (const char* names :
       {"Temps (s);Dérivation I;Dérivation II", "Tiempo (s);Derivación I;Derivación II",
        "Tempo (s);Derivazione I;Derivazione II", "Tempo;Derivação I;Derivação II", "时间;导联I;导联II",
        "時間(秒);誘導I;第Ⅱ誘導", "Время, с;Отведение I;ЭКГ II", "Czas [s];Odprowadzenie I;Odprowadzenie II",
        "Tijd;Afleiding I;Afleiding II", "시간;유도 I;심전도 II", "时间(ms);心电图;心电图 2"}) {
    const auto header = read(std::string(names) + "\n0;1;2\n4;3;1\n");
    EXPECT_EQ(header.time_column, 0) << names;
    EXPECT_EQ(header.leads, (std::vector{1, 2})) << names;
  }
  EXPECT_EQ(column_of("时间;呼吸;心电\n0;1;2\n"), 1) << "neither is known";
}

TEST_F(CsvHeaderTest, AFirstRowThatNumbersColumnsBehindAnIndexIsAHeader) {
  for (const char* text :
       {",0,1\n0,5,6\n1,7,8\n", "Unnamed: 0,0,1\n0,5,6\n1,7,8\n", "Time,1,2\n0.000,5,6\n0.004,7,8\n"}) {
    const auto header = read(text);
    EXPECT_TRUE(header.has_header) << text;
    EXPECT_EQ(header.first_line, 2) << text;
    EXPECT_EQ(header.leads, (std::vector{1, 2})) << text;
  }
  EXPECT_EQ(read("Time,1,2\n0,5,6\n1,7,8\n", {"1"}).columns, (Names{"Time", "1", "2"}));
  EXPECT_EQ(read("Time,1,2\n0,5,6\n1,7,8\n", {"1"}).layout.column, 1) << "a name wins over a position";
  for (const char* text : {",0,2\n0,5,6\n1,7,8\n", ",0,1\n,5,6\n1,7,8\n", "0,1,2\n0,5,6\n1,7,8\n"})
    EXPECT_FALSE(read(text, {"1"}).has_header) << text;
}

TEST_F(CsvHeaderTest, DatesUnderANameWithAWordOfTimeAreTimes) {
  EXPECT_EQ(read("Phone timestamp;ecg [uV]\n2024-05-01T10:00:00.000;1\n").time_column, 0);
  EXPECT_EQ(read("Phone timestamp;ecg [uV]\nA7;1\n").time_column, -1);
}

TEST_F(CsvHeaderTest, TimesNamedTsAreNoSignal) { EXPECT_EQ(column_of("ts,value\n1709648530000,1\n"), 1); }

TEST_F(CsvHeaderTest, WithAPositionOnlyThatCellDistinguishesAHeaderFromData) {
  EXPECT_FALSE(read("x,1\ny,2\n", {"1"}).has_header);
  EXPECT_TRUE(read("x,a\ny,2\n", {"1"}).has_header);
}

TEST_F(CsvHeaderTest, AWrongColumnIsAnErrorThatHelps) {
  expect_refused("no column 'heartbeat'; the columns are 'time', 'heartbeats'; did you mean 'heartbeats'?",
                 "time,heartbeats\n0,1\n", {"heartbeat"});
  expect_refused("no column 'qqqq'; the columns are 'time', 'mV'", "time,mV\n0,1\n", {"qqqq"});
  expect_refused("no column at position 2: the file has 2, counted from 0: 'time', 'mV'", "time,mV\n0,1\n", {"2"});
  expect_refused("no header, so no column 'mV'", "1\n2\n", {"mV"});
  expect_refused("3 columns and no header; choose one by --lead 0, or several by --set ingest.leads=0,1", "1,2,3\n");
  expect_refused("no column 'I,II'; the columns are 'time', 'I', 'II'; --set ingest.leads=NAME,NAME reads several",
                 "time,I,II\n", {"I,II"});
}

TEST_F(CsvHeaderTest, ListsOnlySoMuchOfManyOrLongNames) {
  std::string text = std::string(100'000, 'n');
  for (int i = 0; i < 1000; ++i) text += ",name" + std::to_string(i);
  expect_error(ErrorKind::input, "…", [&] {
    try {
      read(text + "\n", {"wrong one"});
    } catch (const Error& error) {
      EXPECT_LT(std::string(error.what()).size(), 500u);
      throw;
    }
  });
}

TEST_F(CsvHeaderTest, ADuplicateNameCannotBeChosenByName) {
  expect_refused("occurs twice", "time,a,a\n", {"a"});
  EXPECT_EQ(column_of("time,a,a\n", "2"), 2);
  EXPECT_EQ(column_of("time,a,a\n", "time"), 0);
}

TEST_F(CsvHeaderTest, RefusesWhatIsNoText) {
  using namespace std::string_literals;
  expect_refused("zip", "PK\x03\x04"s);
  expect_refused("Parquet", "PAR1"s);
  expect_refused("UTF-16", "\xff\xfem\x00V\x00"s);
  expect_refused("UTF-16", "\xfe\xff\x00m\x00V"s);
  expect_refused("byte 3 is NUL", "mV\n\x00\x00"s);
}

TEST_F(CsvHeaderTest, RefusesAnEmptyFile) { expect_refused("x.csv: is empty", ""); }

TEST_F(CsvHeaderTest, RefusesALineOfTheHeaderThatGoesOn) {
  expect_refused("line 1: byte 0: a quote is not closed before the line ends", "\"time\n(s)\",mV\n0,1\n");
  expect_refused("line 1: byte 2: a CR that no LF follows", "mV\r1\r2\r");
  expect_refused("line 1: byte 5: a CR that no LF follows", "\xef\xbb\xbfmV\r1\r");
  expect_refused("line 1: byte 2: a CR", "mV" + std::string(5 << 20, '\r'));
}

TEST_F(CsvHeaderTest, RefusesAnEndlessFirstLine) {
  expect_refused("line 1: longer than", std::string((4 << 20) + 10, 'x'));
}

TEST(NearestName, IsTheClosestOrNone) {
  const Names names = {"vae.epochs", "vae.latents", "filter.width_s"};
  EXPECT_EQ(nearest_name("vae.epoch", names), "vae.epochs");
  EXPECT_EQ(nearest_name("vae.latent", names), "vae.latents");
  EXPECT_EQ(nearest_name("filter.width", names), "filter.width_s");
  EXPECT_EQ(nearest_name("zzzzzzzzz", names), "");
  EXPECT_EQ(nearest_name("x", {}), "");
}

TEST_F(CsvHeaderTest, FindsTheTimeColumn) {
  EXPECT_EQ(read("time,mV\n0,1\n").time_column, 0);
  EXPECT_EQ(read("mV,Time [s]\n0,1\n").time_column, 1);
  EXPECT_EQ(read("index,mV\n0,1\n").time_column, -1);
  EXPECT_EQ(read("time,mV\n0,1\n", {.column = "time"}).time_column, -1);
  EXPECT_EQ(read("time,mV\n0,1\n", {.time_column = "-"}).time_column, -1);
  EXPECT_EQ(read("a,b\n0,1\n", {.time_column = "b"}).time_column, 1);
  EXPECT_EQ(read("0,1\n", {.column = "1"}).time_column, -1) << "without a header only by position";
}

TEST_F(CsvHeaderTest, AFirstLineMaySpecifyTheDelimiter) {
  for (const char* line : {"sep=;\n", "sep=;\r\n", "\"sep=;\"\n", "SEP=;\n"}) {
    const auto header = read(std::string(line) + "time;ecg\n0;1\n");
    EXPECT_EQ(header.layout.delimiter, ';') << line;
    EXPECT_EQ(header.columns, (Names{"time", "ecg"}));
    EXPECT_EQ(header.first_line, 3);
  }
  EXPECT_EQ(read("sep=\\t\na;b\tecg\n0\t1\n").columns, (Names{"a;b", "ecg"}));
  EXPECT_EQ(read("sep=;\n0,5\n1,5\n").has_header, false);
}

TEST_F(CsvHeaderTest, BlankLinesMayFollowTheHeaderOfSeveralColumns) {
  const auto header = read("time,ecg\n\n\n0,1\n");
  EXPECT_EQ(header.first_line, 4);
  EXPECT_EQ(header.data_offset, 11);
  EXPECT_EQ(read("Time,Channel A\n(ms),(mV)\n\n0,1\n").first_line, 4);
  EXPECT_EQ(read("ecg\n\n1\n").first_line, 2) << "a row without a value";
}

TEST_F(CsvHeaderTest, ARowOfUnitsHasOneUnitAndNoNumber) {
  const auto units = [&](const std::string& text) { return read(text).row_of_units; };
  EXPECT_EQ(units("'Elapsed time','II','ABP'\n'seconds','mV','NU'\n0,1,2\n"), (Names{"seconds", "mV", "NU"}));
  EXPECT_EQ(units("time,II\ns,adu\n0,1\n"), (Names{"s", "adu"}));
  EXPECT_EQ(units("time,II,Resp\n(ms),,\n0,1,2\n"), (Names{"ms", "", ""}));
  EXPECT_EQ(units("'Time and date','II'\n'hh:mm:ss.mmm dd/mm/yyyy','mV'\n'[10:00:00.000 31/10/2021]',1\n").size(), 2u);
  EXPECT_EQ(units("'time','II'\n's','odd'\n0,1\n"), (Names{"s", "odd"})) << "as PhysioNet quotes them";
  EXPECT_EQ(units("time,II,Resp\ns,mV,odd\n0,1,2\n"), (Names{"s", "mV", "odd"}));
  for (const char* text : {"time,II\nbig,small\n0,1\n", "time,II\ns,big\n0,1\n", "time,II\ns,NaN\n0,1\n",
                           "time,II\ns,1x\n0,1\n", "II,label\nbad,V\n1,N\n", "II\n1\n"})
    EXPECT_TRUE(units(text).empty()) << text;
}

TEST_F(CsvHeaderTest, CommasWithBlanksAreNoDecimalCommas) {
  for (const char* text : {"II, V1\n901, 951\n904, 954\n", "II,V1\n   901,   951\n   904,   954\n"}) {
    const CsvHeader header = read(text);
    EXPECT_EQ(header.columns, (Names{"II", "V1"})) << text;
    EXPECT_FALSE(header.edits.blanks) << text;
  }
}

TEST_F(CsvHeaderTest, ListedChannelsNameAsManyColumns) {
  const std::string three = "rec.acq\n4 msec/sample\n3 channels\nECG\nmV\nRESP\nVolts\nPPG\nVolts\n";
  const auto columns = [&](const std::string& names, std::size_t warnings) {
    std::string text = three + names + "\n";
    for (int row = 0; row < 20; ++row) {
      for (auto cells = 1 + std::ranges::count(names, ','); cells > 0; --cells)
        text += std::to_string(row) + (cells > 1 ? ".5," : ".5\n");
    }
    const auto header = read(text, {.column = "0"});
    EXPECT_EQ(header.warnings.size(), warnings) << names;
    EXPECT_EQ(header.units.size(), header.columns.size());
    return header.columns;
  };
  EXPECT_EQ(columns("CH1,CH2,CH3", 0), (Names{"ECG", "RESP", "PPG"}));
  EXPECT_EQ(columns("min,CH1,CH2,CH3", 0), (Names{"time (min)", "ECG", "RESP", "PPG"}));
  EXPECT_EQ(columns("CH1,CH2", 1), (Names{"CH1", "CH2"}));
  EXPECT_EQ(columns("sec,CH1,CH2", 1), (Names{"sec", "CH1", "CH2"}));
  EXPECT_EQ(columns("min,CH1,CH2", 1), (Names{"min", "CH1", "CH2"}));
  EXPECT_EQ(columns("a,b,c,d,e", 1), (Names{"a", "b", "c", "d", "e"}));
}

TEST_F(CsvHeaderTest, ColumnsOfNumpyStandBetweenBlanks) {
  const auto header = read("# made by me\n# time ecg\n0.000 1\n0.004 2\n");
  EXPECT_TRUE(header.edits.blanks);
  EXPECT_EQ(header.columns, (Names{"time", "ecg"}));
  EXPECT_EQ(header.time_column, 0);
  EXPECT_EQ(header.leads, std::vector{1});
  for (const char* text : {"# time ecg value\n0 1\n", "# two words and more\n0 1\n"})
    EXPECT_FALSE(read(text, {.column = "0"}).has_names) << text;
  for (const char* text : {"# time,ecg\n0,1\n", "# time ecg\n0;1 2\n"})
    EXPECT_FALSE(read(text, {.column = "0"}).edits.blanks) << text;
}

}  // namespace
}  // namespace beatscan
