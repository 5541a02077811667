// A run gives the same bytes for any number of threads and of concurrent recordings, any chunk size, and any layout and
// compression of the file.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "tests/paths/paths.h"
#include "tests/support/compressed.h"
#include "tests/support/result_files.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

using Arguments = std::vector<std::string>;
const std::string kRecording = source_folder() + "/data/mitdb_205.csv";  // 650,000 samples, 2,655 beats

class Repeatability : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  Files results_of(const std::string& input, const Arguments& options) {
    const std::string out = path("out" + std::to_string(++runs_));
    Arguments arguments = {"run", input, "--rate", "360", "--device", "cpu", "--out", out};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const auto result = run_program(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    return result.status == 0 ? result_files(out) : Files{};
  }

  // Writes a header and `rows` rows of the recording, each as line(its value, its number).
  template <class Line>
  std::string text(int rows, const std::string& header, Line&& line) const {
    std::istringstream recording(contents_of(kRecording));
    std::string value, text = header;
    std::getline(recording, value);
    for (int row = 0; row < rows && std::getline(recording, value); ++row) text += line(value, row);
    return text;
  }

  void expect_same_with_any_threads(const Arguments& way) {
    const auto with_threads = [&](const std::string& count) {
      Arguments options = {"--threads", count, "--save-arrays"};
      options.insert(options.end(), way.begin(), way.end());
      return results_of(kRecording, options);
    };
    const Files one = with_threads("1");
    ASSERT_TRUE(one.contains("beats.csv") && one.contains("arrays/embeddings.npy"));
    for (const char* count : {"2", "3", "7"}) {
      SCOPED_TRACE(std::string(count) + " threads");
      expect_same_files(one, with_threads(count));
    }
  }

  TemporaryFolder folder_;
  int runs_ = 0;
};

TEST_F(Repeatability, FromOneNumberOfThreadsToAnother) { expect_same_with_any_threads({"--set", "vae.epochs=2"}); }
TEST_F(Repeatability, OfTheSeedFromOneNumberOfThreadsToAnother) {
  expect_same_with_any_threads({"--config", "seed", "--set", "ingest.column=0", "--set", "vae.epochs=1"});
}
TEST_F(Repeatability, OfAutogradFromOneNumberOfThreadsToAnother) {
  expect_same_with_any_threads({"--set", "vae.epochs=1", "--set", "vae.engine=autograd", "--set", "vae.least_steps=0"});
}

TEST_F(Repeatability, FromOneNumberOfRecordingsAtATimeToAnother) {
  Arguments inputs;
  for (const int rows : {40'000, 90'000, 20'000, 60'000, 30'000})
    inputs.push_back(folder_.write("r" + std::to_string(rows) + ".csv",
                                   text(rows, "mV\n", [](const std::string& value, int) { return value + "\n"; })));
  const auto batch = [&](const std::string& at_a_time, bool backwards) {
    const std::string out = path("batch" + std::to_string(++runs_));
    Arguments arguments = {"run",         "--rate",  "360",   "--device",     "cpu",       "--out", out,
                           "--in-flight", at_a_time, "--set", "vae.epochs=1", "--threads", "4",     "--save-arrays"};
    arguments.insert(arguments.end(), inputs.begin(), inputs.end());
    if (backwards) std::reverse(arguments.end() - std::ssize(inputs), arguments.end());
    EXPECT_EQ(run_program(arguments).status, 0);
    return out;
  };
  const std::string one = batch("1", false), four = batch("4", false), other_way = batch("3", true);
  EXPECT_EQ(contents_of(one + "/cohort.csv"), contents_of(four + "/cohort.csv"));
  for (const auto& input : inputs) {
    const std::string name = std::filesystem::path(input).stem();
    SCOPED_TRACE(name);
    expect_same_files(result_files(one + "/" + name), result_files(four + "/" + name));
    expect_same_files(result_files(one + "/" + name), result_files(other_way + "/" + name));
  }
}

// config.json contains the chunk size, and so do the model's metadata.
TEST_F(Repeatability, FromOneSizeOfChunksToAnother) {
  const auto in_chunks = [&](const std::string& input, const std::string& bytes) {
    Files files = results_of(input, {"--set", "vae.epochs=1", "--save-arrays", "--set", "ingest.chunk_bytes=" + bytes});
    EXPECT_NE(files["config.json"].find("\"chunk_bytes\": " + bytes), std::string::npos);
    for (const char* name : {"config.json", "model.safetensors"}) files.erase(name);
    return files;
  };
  const std::string timed = folder_
                                .write("timed.csv", text(100'000, "time,mV\n",
                                                         [](const std::string& value, int row) {
                                                           return std::to_string(row / 360.0) + "," + value + "\n";
                                                         }))
                                .string();
  for (const auto& input : {kRecording, timed}) {
    const Files whole = in_chunks(input, "67108864");
    ASSERT_TRUE(whole.contains("beats.csv"));
    for (const char* bytes : {"1024", "65537", "1048576"}) {
      SCOPED_TRACE(input + " in chunks of " + bytes + " bytes");
      expect_same_files(whole, in_chunks(input, bytes));
    }
  }
}

// Compares everything except the summary's description of the input.
TEST_F(Repeatability, FromOneLayoutOfTheFileToAnother) {
  constexpr int kRows = 60'000;
  const auto results = [&](const std::string& name, const std::string& bytes, const std::string& column = "mV") {
    const auto input = folder_.write("ecg" + name, bytes).string();
    Files files = results_of(input, {"--set", "vae.epochs=1", "--save-arrays", "--set", "ingest.column=" + column});
    for (const char* file : {"summary.json", "config.json", "model.safetensors"}) files.erase(file);
    return files;
  };
  const std::string plain = text(kRows, "mV\n", [](const std::string& value, int) { return value + "\n"; });
  const Files expected = results(".csv", plain);
  ASSERT_TRUE(expected.contains("beats.csv"));
  const auto expect_same = [&](const char* what, const Files& files) {
    SCOPED_TRACE(what);
    expect_same_files(expected, files);
  };
  expect_same("gzip", results(".csv.gz", gzip(plain)));
  expect_same("two members of gzip", results(".csv.gz", gzip(plain.substr(0, 77'777)) + gzip(plain.substr(77'777))));
  expect_same("zstd", results(".csv.zst", zstd(plain)));
  expect_same("no final line end", results(".csv", plain.substr(0, plain.size() - 1)));
  expect_same("no header", results(".csv", plain.substr(3), "0"));
  expect_same("CR LF",
              results(".csv", text(kRows, "mV\r\n", [](const std::string& value, int) { return value + "\r\n"; })));
  expect_same("other columns, semicolons and quotes",
              results(".csv", text(kRows, "note;\"mV\";other\n", [](const std::string& value, int row) {
                        return "n" + std::to_string(row) + ";\"" + value + "\";" + std::to_string(row % 7) + "\n";
                      })));
  expect_same("other ways to write the numbers", results(".csv", text(kRows, "mV\n", [](const std::string& value, int) {
                                                           const bool negative = value[0] == '-';
                                                           return std::string(negative ? "-" : "+") + "00" +
                                                                  value.substr(negative) + "000e0\n";
                                                         })));
}

}  // namespace
}  // namespace beatscan
