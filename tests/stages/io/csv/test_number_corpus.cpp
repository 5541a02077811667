// Reads numbers that are hard to round from three sets of files:
//   - those in tests/numbers
//   - those that scripts/number_corpus generated for this build
//   - the *.txt in the folder that BEATSCAN_NUMBER_CORPUS names, such as parse-number-fxx-test-data's data/
// A line is FLOAT16 FLOAT32 FLOAT64 TEXT, the first three in hexadecimal digits.
#include <gtest/gtest.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/csv/csv.h"
#include "tests/paths/paths.h"
#include "tests/support/backends.h"
#include "tests/support/csv_parse.h"
#include "tests/support/decimal_oracle.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;
constexpr std::uint32_t kNaN = 0x7fc00000, kInfinity = 0x7f800000;

struct Corpus {
  std::string lines;                    // the texts, one a line
  std::vector<std::uint32_t> expected;  // bits of the float32; kNaN where the number is out of its range
  std::int64_t passed_over = 0;         // number of texts that CSV does not take: inf, nan, hexadecimal numbers
};

// Reads at most `most` numbers from where the stream is.
Corpus read_corpus(std::ifstream& file, const fs::path& path, std::size_t most) {
  Corpus corpus;
  for (std::string line; corpus.expected.size() < most && std::getline(file, line);) {
    std::uint32_t bits = 0;
    const bool whole = line.size() > 31 && line[4] == ' ' && line[13] == ' ' && line[30] == ' ' &&
                       std::from_chars(line.data() + 5, line.data() + 13, bits, 16).ptr == line.data() + 13;
    if (!whole) throw std::runtime_error(path.string() + ": not a line of test data: " + line);
    const std::string text = line.substr(31);
    if (!is_decimal_number(text)) {
      ++corpus.passed_over;
      continue;
    }
    corpus.lines += text + '\n';
    corpus.expected.push_back((bits & 0x7fffffff) == kInfinity ? kNaN : bits);
  }
  return corpus;
}

template <class Context>
class NumberCorpus : public OnBackend<Context> {
 protected:
  void expect_rounded(const Corpus& corpus, const fs::path& path) {
    auto& context = this->context();
    const std::string text = corpus.lines.substr(0, corpus.lines.size() - 1);
    const auto rows = std::ssize(corpus.expected);
    const auto bytes = text_on(context, text);
    Buffer<std::uint32_t, Context> row_ends(context, rows);
    find_row_ends(context, bytes, row_ends);
    Buffer<float, Context> values(context, rows);
    auto findings = from_host(context, std::vector<CsvFindings>(1));
    parse_column(context, bytes, row_ends, {}, 0, values, findings);
    const auto ends = to_host(context, row_ends);
    const auto found = bits_of(to_host(context, values));
    int failures = 0;
    for (std::int64_t i = 0; i < rows && failures < 10; ++i) {
      if (found[i] == corpus.expected[i]) continue;
      ++failures;
      const std::size_t begin = i == 0 ? 0 : ends[i - 1] + 1;
      ADD_FAILURE() << path << ": " << text.substr(begin, ends[i] - begin) << std::hex << " gave " << found[i]
                    << ", expected " << corpus.expected[i];
    }
  }

  // Reads all numbers of a file; returns how many there were.
  std::int64_t expect_file(const fs::path& path) {
    std::ifstream file(path);
    std::int64_t numbers = 0, passed_over = 0;
    while (file.peek() != std::ifstream::traits_type::eof()) {
      const Corpus corpus = read_corpus(file, path, 100'000);
      if (!corpus.expected.empty()) expect_rounded(corpus, path);
      numbers += std::ssize(corpus.expected);
      passed_over += corpus.passed_over;
    }
    EXPECT_GT(numbers, passed_over) << path;
    return numbers;
  }

  std::int64_t expect_folder(const fs::path& folder) {
    std::int64_t numbers = 0;
    for (const auto& file : fs::directory_iterator(folder))
      if (file.path().extension() == ".txt") numbers += expect_file(file.path());
    return numbers;
  }
};
TYPED_TEST_SUITE(NumberCorpus, Backends, BackendNames);

TYPED_TEST(NumberCorpus, OfOtherParsers) {
  EXPECT_GT(this->expect_folder(fs::path(source_folder()) / "tests/numbers"), 1000);
}

TYPED_TEST(NumberCorpus, OfHardCases) { EXPECT_GE(this->expect_file(BEATSCAN_HARD_NUMBERS), 100'000); }

// scripts/nightly runs it where BEATSCAN_NUMBER_CORPUS names a folder.
TYPED_TEST(NumberCorpus, DISABLED_OfAFolderThatIsGiven) {
  const char* folder = std::getenv("BEATSCAN_NUMBER_CORPUS");
  if (!folder) GTEST_SKIP() << "BEATSCAN_NUMBER_CORPUS=FOLDER names one";
  const auto numbers = this->expect_folder(folder);
  EXPECT_GT(numbers, 0);
  testing::Test::RecordProperty("numbers", std::to_string(numbers));
}

}  // namespace
}  // namespace beatscan
