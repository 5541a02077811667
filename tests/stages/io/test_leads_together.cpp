// Leads that are read in one pass are what each of them is alone, in every format, on every back end.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "kernels/csv/columns.h"
#include "stages/io/input.h"
#include "tests/support/backends.h"
#include "tests/support/ishne_files.h"
#include "tests/support/wfdb_records.h"

namespace beatscan {
namespace {

using Names = std::vector<std::string>;

template <class Context>
Names names_of(const Recording<Context>& recording) {
  Names names;
  for (const auto& lead : recording.leads) names.push_back(lead.name);
  return names;
}

template <class Context>
class LeadsTogether : public WfdbRecords<Context> {
 protected:
  Recording<Context> read_with(const std::filesystem::path& path, const IngestOptions& options = {}) {
    return read_recording(this->context(), resolve_input(path, options), options);
  }
  Recording<Context> read_text(const std::string& name, const std::string& text, const IngestOptions& options = {}) {
    return read_with(this->folder_.write(name, text), options);
  }

  // Reads the leads at these positions together, and each of them alone.
  void expect_as_alone(const std::filesystem::path& path, const Names& positions, IngestOptions options = {}) {
    SCOPED_TRACE(path);
    options.leads.assign(positions.begin(), positions.end());
    const auto together = read_with(path, options);
    ASSERT_EQ(together.leads.size(), positions.size());
    for (std::size_t i = 0; i < positions.size(); ++i) {
      SCOPED_TRACE(positions[i]);
      options.column = positions[i];
      const auto recording = read_with(path, options);
      const auto &alone = recording.leads.front(), &lead = together.leads[i];
      EXPECT_EQ(lead.name, alone.name);
      EXPECT_EQ(lead.unit, alone.unit);
      EXPECT_EQ(lead.missing, alone.missing);
      EXPECT_EQ(lead.range.min, alone.range.min);
      EXPECT_EQ(lead.range.max, alone.range.max);
      auto& context = this->context();
      EXPECT_TRUE(to_host(context, lead.samples) == to_host(context, alone.samples));
      EXPECT_EQ(to_host(context, lead.gap_firsts), to_host(context, alone.gap_firsts));
      EXPECT_EQ(to_host(context, lead.gap_lasts), to_host(context, alone.gap_lasts));
    }
  }
};
TYPED_TEST_SUITE(LeadsTogether, Backends, BackendNames);

TYPED_TEST(LeadsTogether, OfEveryFormatOfWfdb) {
  for (const char* name :
       {"f8",     "f16",    "f24",    "f32",    "f80",  "f212", "f160_2", "f160_3",     "f61_2",  "f61_3",
        "f310_2", "f310_3", "f311_2", "f311_3", "f508", "f516", "f524",   "late_start", "skewed", "fixed"})
    this->expect_as_alone(kWfdbRecords / name, {"1", "0"});
  this->expect_as_alone(kWfdbRecords / "f516", {"0", "1", "2"});
  this->expect_as_alone(kWfdbRecords / "variable", {"1", "0"});
}

TYPED_TEST(LeadsTogether, OfManyBlocksOfWfdb) {
  std::string data;
  for (int i = 0; i < 3 * 3'000'000; ++i) {  // three blocks of three leads, of which the third takes the first's memory
    data += static_cast<char>(i * 31 & 0xff);
    data += static_cast<char>(i * 17 >> 3 & 0x3f);
  }
  this->expect_as_alone(this->record("x 3 360 3000000\nx.dat 16:700 200\nx.dat 16 100\nx.dat 16:700 50\n", data),
                        {"2", "0", "1"});
}

TYPED_TEST(LeadsTogether, OfIshne) {
  IshneFile file{.codes = {5, 6, 7}, .resolutions_nv = {1000, 500, 2500}, .samples = {}};
  for (int i = 0; i < 3 * 200'000; ++i)
    file.samples.push_back(i % 10'007 == 5 ? -32768 : i % 2000 * 7919 % 2000 - 1000);
  this->expect_as_alone(this->folder_.write("x.ecg", bytes_of(file)), {"0", "1", "2"});
}

TYPED_TEST(LeadsTogether, OfColumnsWithGapsOfTheirOwn) {
  std::string text = "time,II,note,V1,V5\n";
  for (int i = 0; i < 20'000; ++i)
    text += std::to_string(i / 250.0) + "," + (i % 97 ? std::to_string(i % 50) : "") + ",x," +
            (i / 1000 % 3 ? std::to_string(i % 31 - 15) : "NaN") + "," + std::to_string(i % 7) + "\n";
  const auto path = this->folder_.write("x.csv", text);
  for (const std::int64_t chunk : {1024, 10'000, 4 << 20})
    this->expect_as_alone(path, {"3", "1", "4"}, {.chunk_bytes = chunk});
  const auto all = this->read_with(path);
  EXPECT_EQ(names_of(all), (Names{"II", "V1", "V5"}));
  EXPECT_EQ(all.leads[0].missing, 207);
  EXPECT_EQ(all.leads[1].gap_firsts.size(), 7);
  EXPECT_EQ(all.leads[2].missing, 0);
  EXPECT_EQ(all.signal.sample_rate_hz, 250);
}

// Samples that are missing by the times are missing in every lead.
TYPED_TEST(LeadsTogether, OfColumnsAcrossAJumpInTime) {
  std::string text = "time,I,II\n";
  for (int i = 0; i < 5000; ++i)
    text += std::to_string((i < 2000 ? i : i + 100) / 250.0) + "," + std::to_string(i % 50) + "," +
            (i == 10 ? "" : std::to_string(i % 31)) + "\n";
  const auto recording = this->read_text("x.csv", text);
  EXPECT_EQ(recording.samples(), 5100);
  EXPECT_EQ(recording.leads[0].missing, 100);
  EXPECT_EQ(recording.leads[1].missing, 101);
  EXPECT_EQ(to_host(this->context(), recording.leads[1].gap_firsts), (std::vector<std::int64_t>{10, 2000}));
}

TYPED_TEST(LeadsTogether, BadCellsAndBadRows) {
  const std::string text = "I,II\n1,5\n2,x\n3\n4,6\ny,7\n5,8\n";
  expect_error(ErrorKind::input, "x.csv:3: byte 11: 'x' is not a number", [&] { this->read_text("x.csv", text); });
  const auto as_nan = this->read_text("x.csv", text, {.on_bad = OnBad::nan});
  EXPECT_EQ(as_nan.bad.count, 3);
  EXPECT_EQ(as_nan.leads[0].missing, 2) << "a cell that is bad is so in its own lead";
  EXPECT_EQ(as_nan.leads[1].missing, 2);
  EXPECT_EQ(to_host(this->context(), as_nan.leads[0].gap_firsts), (std::vector<std::int64_t>{2, 4}));
  EXPECT_EQ(to_host(this->context(), as_nan.leads[1].gap_firsts), (std::vector<std::int64_t>{1}));
  const auto skipped = this->read_text("x.csv", text, {.on_bad = OnBad::skip});
  EXPECT_EQ(skipped.bad.count, 3);
  EXPECT_EQ(to_host(this->context(), skipped.leads[0].samples), (std::vector<float>{1, 4, 5}));
  EXPECT_EQ(to_host(this->context(), skipped.leads[1].samples), (std::vector<float>{5, 6, 8}));
  EXPECT_EQ(skipped.leads[1].missing, 0);
}

TYPED_TEST(LeadsTogether, TheLeadsThatAreEcgByName) {
  EXPECT_EQ(names_of(this->read_text("x.csv", "PPG,II,time,V1\n1,2,0,3\n4,5,1,9\n")), (Names{"II", "V1"}));
  EXPECT_EQ(names_of(this->read_text("x.csv", "PPG,II,V1\n1,2,3\n4,5,9\n", {.first_lead_alone = true})), Names{"II"});
  EXPECT_EQ(names_of(this->read_text("x.csv", "PPG,other\n1,2\n4,5\n")), Names{"other"}) << "PPG is another signal";
  EXPECT_EQ(names_of(this->read_text("x.csv", "PPG,Resp\n1,2\n4,5\n")), Names{"PPG"}) << "none is";
  EXPECT_EQ(names_of(this->read_text("x.csv", "1,2,3\n4,5,6\n", {.leads = {"2", "0"}})), (Names{"2", "0"}));
  const std::string named_1 = "a,b,1\n1,2,3\n4,5,6\n";
  EXPECT_EQ(names_of(this->read_text("x.csv", named_1, {.leads = {"0", "1"}})), (Names{"a", "1"})) << "text";
  const std::vector<WantedLead> positions = {WantedLead::at(0), WantedLead::at(1)};
  EXPECT_EQ(names_of(this->read_text("x.csv", named_1, {.leads = positions})), (Names{"a", "b"})) << "numbers";
  expect_error(ErrorKind::input, "line 1: column 'V1' is asked for twice (ingest.leads)", [&] {
    this->read_text("x.csv", "II,V1\n1,2\n", {.leads = {"V1", "1"}});
  });
  expect_error(ErrorKind::input, "no column 'V2'; the columns are 'II', 'V1'; did you mean 'V1'?", [&] {
    this->read_text("x.csv", "II,V1\n1,2\n", {.leads = {"II", "V2"}});
  });
  std::string many = "V1";
  for (int i = 0; i < kMostColumns; ++i) many += ",V1";
  expect_error(ErrorKind::input, "65 columns are named like an ECG; choose at most 64",
               [&] { this->read_text("x.csv", many + "\n"); });
}

TYPED_TEST(LeadsTogether, AFlatOrEmptyLeadIsLeftOutAndReported) {
  const auto recording = this->read_text("x.csv", "I,II,III,V1\n1,,0,5\n2,NaN,0,5\n3,,,9\n");
  EXPECT_EQ(names_of(recording), (Names{"I", "V1"}));
  EXPECT_EQ(recording.signal.name, "I");
  EXPECT_EQ(recording.signal.leads.size(), 2u);
  EXPECT_EQ(recording.signal.warnings, (Names{"lead 'II' has no sample with a value; it is left out",
                                              "lead 'III' is flat: all samples are 0; it is left out"}));
  const auto later = this->read_text("x.csv", "I,II\n0,1\n0,2\n");
  EXPECT_EQ(names_of(later), Names{"II"});
  EXPECT_EQ(later.signal.name, "II");
  EXPECT_EQ(names_of(this->read_text("x.csv", "I,II\n,1\n,1\n")), Names{"II"}) << "flat, which the pipeline refuses";
  expect_error(ErrorKind::unanalysable, "x.csv: no sample has a value (columns 'I', 'II')",
               [&] { this->read_text("x.csv", "I,II\n,\n,\n"); });
  expect_error(ErrorKind::unanalysable, "x.csv: no sample has a value (column 'II')",
               [&] { this->read_text("x.csv", "I,II\n1,\n2,\n", {.column = "II"}); });
}

TYPED_TEST(LeadsTogether, AWfdbLeadThatDoesNotFitIsLeftOutAndReported) {
  std::string data;
  for (int i = 0; i < 1000; ++i) data += static_cast<char>(i % 90);
  const auto expect = [&](const std::string& header, const Names& names, const std::string& warning) {
    SCOPED_TRACE(header);
    const auto recording = this->read_with(this->record(header, data));
    EXPECT_EQ(names_of(recording), names);
    EXPECT_EQ(recording.signal.warnings, Names{warning});
  };
  expect("x 2 250 100\nx.dat 80 200 8 0 0 0 0 I\nx.dat 80x2 200 8 0 0 0 0 II\n", {"I"},
         "lead 'II' has 2 samples a frame where 'I' has 1; it is left out");
  expect("x 2 250 1000\n~ 0 200 8 0 0 0 0 I\nx.dat 80 200 8 0 0 0 0 II\n", {"II"},
         "no signal file holds lead 'I'; it is left out");
  this->folder_.write("y.dat", data + data);
  expect("x 2 250\nx.dat 80 200 8 0 0 0 0 I\ny.dat 80 200 8 0 0 0 0 II\n", {"I"},
         "lead 'II' has 2000 frames where 'I' has 1000; it is left out");
  const auto path = this->record("x 2 250 100\nx.dat 80 200 8 0 0 0 0 I\nx.dat 80x2 200 8 0 0 0 0 II\n", data);
  expect_error(ErrorKind::input, "lead 'II' has 2 samples a frame where 'I' has 1", [&] {
    this->read_with(path, {.leads = {"I", "II"}});
  });
  expect_error(ErrorKind::input, "no signal file holds lead 'I'",
               [&] { this->read_with(this->record("x 1 250 100\n~ 0 200 8 0 0 0 0 I\n", data)); });
}

// A few bytes of a header may name a file in two ways. The format of one name says nothing of the other.
TYPED_TEST(LeadsTogether, OneFileByTwoNames) {
  std::string data;
  for (int i = 0; i < 400; ++i) data += static_cast<char>(i % 90);
  this->expect_as_alone(this->record("x 2 250 100\nx.dat 80\n.//x.dat 16+3\n", data), {"0", "1"});
}

TYPED_TEST(LeadsTogether, ASegmentThatLacksALeadIsAGapInThatLead) {
  std::string data;
  for (int i = 0; i < 200; ++i) data += static_cast<char>(i % 90 + 1);
  this->folder_.write("a.dat", data);
  this->folder_.write("layout.hea", "layout 2 250 0\n~ 0 200/mV 8 0 0 0 0 I\n~ 0 200/mV 8 0 0 0 0 II\n");
  this->folder_.write("a.hea", "a 2 250 100\na.dat 80 200/mV 8 0 0 0 0 I\na.dat 80 200/mV 8 0 0 0 0 II\n");
  this->folder_.write("b.hea", "b 1 250 100\na.dat 80 200/mV 8 0 0 0 0 II\n");
  const auto recording = this->read_with(this->folder_.write("m.hea", "m/4 2 250 250\nlayout 0\na 100\nb 100\n~ 50\n"));
  EXPECT_EQ(names_of(recording), (Names{"I", "II"}));
  EXPECT_EQ(recording.leads[0].missing, 150);
  EXPECT_EQ(recording.leads[1].missing, 50);
  EXPECT_EQ(to_host(this->context(), recording.leads[0].gap_firsts), (std::vector<std::int64_t>{100}));
  EXPECT_EQ(to_host(this->context(), recording.leads[1].gap_firsts), (std::vector<std::int64_t>{200}));
}

}  // namespace
}  // namespace beatscan
