// Runs the table of input classes: each input is read, or analysed completely, on each back end and in chunks of
// several sizes.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "app/cli/command_line.h"
#include "app/common/log.h"
#include "app/output/advisories.h"
#include "app/output/summary_text.h"
#include "app/pipeline/pipeline.h"
#include "stages/io/input.h"
#include "tests/input_classes/input_classes.h"
#include "tests/paths/paths.h"
#include "tests/support/backends.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_stride.h"

namespace beatscan {
namespace {

const std::string kTable = source_folder() + "/tests/input_classes/INPUT_CLASSES.md";

// The time limit for reading or analysing one input: many times that of the slowest one. With a sanitizer it is
// multiplied by test_stride().
constexpr std::chrono::seconds kMostTime{60};

// The outcome of reading an input.
struct Outcome {
  ExitStatus status = ExitStatus::ok;
  std::string words;  // the error, or the warnings
  std::vector<std::uint32_t> sample_bits;
  std::int64_t missing = 0, bad = 0, kept_beats = 0;
  std::vector<double> r_peaks;
};

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

// Returns the size of the smallest chunks that hold every line, adjacent sizes, and the default size. With a sanitizer
// only the first and the last one.
std::vector<std::int64_t> chunk_sizes(const std::string& bytes) {
  std::vector<std::int64_t> sizes = {(2 << 20) + 1, 4 << 20};
  if (bytes.size() <= 1 << 16) {
    std::int64_t longest = 8;
    for (std::size_t begin = 0; begin < bytes.size();) {
      const auto end = std::min(bytes.find('\n', begin), bytes.size());
      longest = std::max<std::int64_t>(longest, static_cast<std::int64_t>(end - begin) + 1);
      begin = end + 1;
    }
    sizes = {2 * longest, 2 * longest + 1, 3 * longest + 2, 4 << 20};
  }
  if (test_stride() > 1) sizes = {sizes.front(), sizes.back()};
  return sizes;
}

// Returns the warnings about the input: not those about rhythm, and about few beats.
std::string without_findings(const std::string& words) {
  std::istringstream lines(words);
  std::string line, rest;
  while (std::getline(lines, line))
    if (line.find("the rhythm is irregular") == line.npos && line.find("what is normal here") == line.npos)
      rest += line + "\n";
  return rest;
}

template <class Context>
class InputClasses : public OnBackend<Context> {
 protected:
  // Runs all classes that name the current test.
  void hold() {
    const std::string test =
        std::string("InputClasses.") + testing::UnitTest::GetInstance()->current_test_info()->name();
    for (const auto& section : input_classes())
      for (const auto& one : section.classes)
        if (one.test == test) hold(one);
  }

 private:
  void hold(const InputClass& one) {
    SCOPED_TRACE(one.name);
    const std::string bytes = one.bytes();
    const auto path = folder_.write("x.csv", bytes);
    std::optional<std::vector<double>> r_peaks;
    for (const std::int64_t chunk_bytes : chunk_sizes(bytes)) {
      SCOPED_TRACE(testing::Message() << "chunks of " << chunk_bytes);
      std::vector<std::string> settings = {"ingest.sample_rate_hz=250", "vae.epochs=1"};
      settings.insert(settings.end(), one.settings.begin(), one.settings.end());
      Config config = load_config("", settings);
      config.ingest.chunk_bytes = chunk_bytes;
      const auto start = std::chrono::steady_clock::now();
      const Outcome outcome = outcome_of(path, config, one.analysed);
      EXPECT_LT(std::chrono::steady_clock::now() - start, kMostTime * test_stride());
      ASSERT_EQ(outcome.status, one.status) << outcome.words;
      EXPECT_NE(outcome.words.find(one.words), std::string::npos) << outcome.words << "\nlacks: " << one.words;
      if (one.status != ExitStatus::ok) continue;
      if (one.words.empty()) {
        EXPECT_EQ(without_findings(outcome.words), "");
      }
      if (!one.analysed) {
        EXPECT_EQ(outcome.sample_bits, bits_of(one.samples));
        EXPECT_EQ(outcome.missing, one.missing);
        EXPECT_EQ(outcome.bad, one.bad);
        continue;
      }
      EXPECT_GE(outcome.kept_beats, one.least_beats);
      EXPECT_LE(outcome.kept_beats, one.most_beats);
      EXPECT_EQ(outcome.r_peaks, r_peaks.value_or(outcome.r_peaks)) << "chunks of another size";
      r_peaks = outcome.r_peaks;
    }
  }

  Outcome outcome_of(const std::filesystem::path& path, const Config& config, bool analysed) {
    try {
      return analysed ? analysis_of(path, config) : reading_of(path, config);
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
      return {status_of(error.kind()), error.what()};
    }
  }
  Outcome reading_of(const std::filesystem::path& path, const Config& config) {
    const auto recording = read_recording(this->context(), resolve_input(path, config.ingest), config.ingest);
    return {ExitStatus::ok, joined(recording.signal.warnings),
            bits_of(to_host(this->context(), recording.leads.front().samples)), recording.leads.front().missing,
            recording.bad.count};
  }
  Outcome analysis_of(const std::filesystem::path& path, const Config& config) {
    const RunRequest request{.input = path, .config = config, .rate = {}};
    Log log(0, LogFormat::text);
    auto opened = open_recording(this->context(), request, open_input(request));
    const RunResult result = analyse(this->context(), std::move(opened), request, log);
    std::vector<std::string> texts;
    for (const Advisory& its : advisories_of(result)) texts.push_back(its.message);
    Outcome outcome{ExitStatus::ok, joined(texts)};
    outcome.kept_beats = std::ssize(result.beats.kept);
    outcome.r_peaks = result.beats.found.r_peaks;
    return outcome;
  }

  TemporaryFolder folder_;
};
TYPED_TEST_SUITE(InputClasses, Backends, BackendNames);

TYPED_TEST(InputClasses, Files) { this->hold(); }
TYPED_TEST(InputClasses, Lines) { this->hold(); }
TYPED_TEST(InputClasses, Columns) { this->hold(); }
TYPED_TEST(InputClasses, Cells) { this->hold(); }
TYPED_TEST(InputClasses, Sizes) { this->hold(); }
TYPED_TEST(InputClasses, Signals) { this->hold(); }
TYPED_TEST(InputClasses, Ishne) { this->hold(); }
TYPED_TEST(InputClasses, People) { this->hold(); }
TYPED_TEST(InputClasses, Arrays) { this->hold(); }
TYPED_TEST(InputClasses, Devices) { this->hold(); }

// Returns the names of this program's tests, "Suite.Test". The name of a typed suite omits the type.
std::set<std::string> names_of_tests() {
  std::set<std::string> names;
  const auto& program = *testing::UnitTest::GetInstance();
  for (int i = 0; i < program.total_test_suite_count(); ++i) {
    const auto& suite = *program.GetTestSuite(i);
    const std::string name = suite.name();
    for (int j = 0; j < suite.total_test_count(); ++j)
      names.insert(name.substr(0, name.find('/')) + "." + suite.GetTestInfo(j)->name());
  }
  return names;
}

std::string without_bars(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != text.npos; at += 2) text.insert(at, "\\");
  return text;
}

std::string table() {
  std::string text =
      "# Classes of input, and how they are handled\n\nA test writes this file from the tables in this "
      "folder:\n\n```\nBEATSCAN_WRITE_TABLES=1 build/tests/beatscan_tests "
      "--gtest_filter=InputClassTable.*\n```\n\nWithout the variable, that test fails if this file is not up to "
      "date.\n\n- “Status” is the program's exit status. Every error is one line, which names the file and, where\n  "
      "there is one, the line and byte.\n- The tests are those of `build/tests/beatscan_tests`. Typed suites run on "
      "the CPU and on a GPU.\n- The tests of `InputClasses` read each file in chunks of several sizes.\n";
  for (const auto& section : input_classes()) {
    text += "\n## " + section.title + "\n\n| class | handling | test |\n|---|---|---|\n";
    for (const auto& one : section.classes)
      text += "| " + without_bars(one.name) + " | " + without_bars(one.behaviour) + " | `" + one.test + "` |\n";
  }
  return text;
}

TEST(InputClassTable, NamesTestsThatThereAre) {
  const auto tests = names_of_tests();
  for (const auto& section : input_classes())
    for (const auto& one : section.classes) {
      EXPECT_TRUE(tests.contains(one.test)) << one.name << ": no test " << one.test;
      EXPECT_EQ(one.bytes != nullptr, one.test.starts_with("InputClasses.")) << one.name;
    }
}

TEST(InputClassTable, IsWhatTheFileSays) {
  if (std::getenv("BEATSCAN_WRITE_TABLES")) std::ofstream(kTable, std::ios::binary) << table();
  EXPECT_TRUE(contents_of(kTable) == table())
      << "BEATSCAN_WRITE_TABLES=1 writes tests/input_classes/INPUT_CLASSES.md again";
}

}  // namespace
}  // namespace beatscan
