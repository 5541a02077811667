// What a message of the readers advises is done here: it must help.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "app/config/config.h"
#include "kernels/runtime/error.h"
#include "stages/io/input.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

struct Advice {
  std::string text;                            // of a file
  std::string words;                           // the advice, in an error or a warning
  std::vector<std::vector<std::string>> ways;  // each is what it says, for --set
  std::size_t leads = 1;                       // that are read by it
};

class AdviceOfReaders : public testing::Test {
 protected:
  // Reads a file; returns the warnings, or the error.
  std::string read(const std::string& text, const std::vector<std::string>& settings, std::size_t& leads) {
    const IngestOptions options = load_config("", settings).ingest;
    Cpu cpu;
    leads = 0;
    try {
      const auto recording = read_recording(cpu, resolve_input(folder_.write("x.csv", text), options), options);
      leads = recording.leads.size();
      std::string warnings;
      for (const auto& warning : recording.signal.warnings) warnings += warning + "\n";
      return warnings;
    } catch (const Error& error) {
      return error.what();
    }
  }
  TemporaryFolder folder_;
};

std::string rows(const std::string& header, const std::string& special = "", int at = 50) {
  std::string text = header;
  for (int row = 0; row < 200; ++row)
    text += (row == at && !special.empty() ? special : std::to_string(2000 + row * 37 % 200)) + "\n";
  return text;
}

std::vector<Advice> advices() {
  return {{"10,12\n13,15\n12,11\n",
           "choose one by --lead 0, or several by --set ingest.leads=0,1",
           {{"ingest.column=0"}, {"ingest.leads=0,1"}}},
          {"0.000,12\n0.004,15\n0.008,11\n",
           "times in column 0 are given by --set ingest.time_column=0",
           {{"ingest.time_column=0", "ingest.column=1"}}},
          {"10,25\n13,15\n12,75\n", "(a decimal comma? --set ingest.decimal=,)", {{"ingest.decimal=,"}}},
          {"a;b\n1,234;5,678\n1,235;5,679\n", "(a decimal comma? --set ingest.decimal=,)", {{"ingest.decimal=,"}}},
          {"x ecg note\n0 1 N\n1 2 N\n2 5 N\n",
           "(columns between blanks? --set 'ingest.delimiter= ')",
           {{"ingest.delimiter= ", "ingest.column=ecg"}}},
          {"made by me\nfor you\ntime,ecg\n0.000,1\n0.004,2\n",
           "(lines before the table? --set ingest.skip_lines=2)",
           {{"ingest.skip_lines=2"}}},
          {rows("ecg\n", "x"),
           "--set ingest.on_bad=nan (or skip) goes on without it",
           {{"ingest.on_bad=nan"}, {"ingest.on_bad=skip"}}},
          {rows("ecg\n", "9000"), "--set ingest.missing=9000 takes it for missing", {{"ingest.missing=9000"}}},
          {rows("ecg\n", "0\n0"), "--set ingest.missing=- reads them as values", {{"ingest.missing=-"}}},
          {"II,ECG_filtered\n1,5\n2,3\n",
           "--set ingest.leads=NAME,NAME chooses columns",
           {{"ingest.leads=II,ECG_filtered"}},
           2},
          {"time,ecg\n0.000,1\n0.008,2\n0.004,3\n",
           "leave the times out: --set ingest.time_column=-",
           {{"ingest.time_column=-"}}},
          {"a,b\n1,3\n2,4\n",
           "--lead NAME chooses another, --set ingest.leads=NAME,NAME several",
           {{"ingest.column=b"}, {"ingest.leads=b,a"}}}};
}

TEST_F(AdviceOfReaders, Helps) {
  for (const Advice& advice : advices()) {
    SCOPED_TRACE(advice.words);
    std::size_t leads = 0;
    const std::string before = read(advice.text, {}, leads);
    EXPECT_NE(before.find(advice.words), std::string::npos) << before;
    for (const auto& way : advice.ways) {
      const std::string after = read(advice.text, way, leads);
      EXPECT_GE(leads, way[0].starts_with("ingest.leads") ? 2u : advice.leads) << way[0] << ": " << after;
      EXPECT_EQ(after.find(advice.words), std::string::npos) << way[0] << ": " << after;
    }
  }
}

TEST_F(AdviceOfReaders, OfOneLineOfValuesHelps) {
  std::string text = "1.5";
  for (int i = 0; i < 200; ++i) text += "   " + std::to_string(i * 37 % 200);
  std::size_t leads = 0;
  EXPECT_NE(read(text + "\n", {}, leads).find("write each on a line of its own: tr -s ' ,;\\t' '\\n' < FILE"),
            std::string::npos);
  const auto path = folder_.write("line.txt", text + "\n"), made = folder_.path() / "lines.txt";
  ASSERT_EQ(std::system(("tr -s ' ,;\\t' '\\n' < " + path.string() + " > " + made.string()).c_str()), 0);
  Cpu cpu;
  EXPECT_EQ(read_recording(cpu, resolve_input(made, {}), {}).samples(), 201);
}

}  // namespace
}  // namespace beatscan
