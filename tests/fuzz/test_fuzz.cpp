// Calls the fuzz targets with the files of their seed corpora and finds, without a fuzzer. Compares the CSV reader on
// both back ends with a plain one (tests/fuzz/reference_csv.h), on these files and on changed ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/csv_check.h"
#include "tests/fuzz/targets.h"
#include "tests/paths/paths.h"
#include "tests/support/backends.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;
const fs::path kFuzz = fs::path(source_folder()) / "tests/fuzz";

std::vector<fs::path> files_of(std::string_view target) {
  std::vector<fs::path> files;
  for (const char* kind : {"corpus", "finds"})
    if (fs::exists(kFuzz / kind / target))
      for (const auto& file : fs::directory_iterator(kFuzz / kind / target)) files.push_back(file.path());
  std::ranges::sort(files);
  return files;
}

class FuzzFiles : public testing::TestWithParam<fuzz::Target> {};

TEST_P(FuzzFiles, AreReadOrRefused) {
  const auto files = files_of(GetParam().name);
  ASSERT_FALSE(files.empty());
  for (const auto& file : files) {
    SCOPED_TRACE(file);
    EXPECT_NO_THROW(GetParam().run(contents_of(file)));
  }
}
INSTANTIATE_TEST_SUITE_P(Targets, FuzzFiles, testing::ValuesIn(fuzz::kTargets),
                         [](const auto& info) { return std::string(info.param.name); });

// Makes one change, such as a hand, a cable or another program makes in a file.
std::string changed(std::string text, const std::string& other, std::mt19937_64& random) {
  static constexpr std::string_view kPieces[] = {",",
                                                 ";",
                                                 "\t",
                                                 "|",
                                                 "\n",
                                                 "\r\n",
                                                 "\r",
                                                 "\"",
                                                 " ",
                                                 "-",
                                                 "+",
                                                 ".",
                                                 "e",
                                                 "E5",
                                                 "0",
                                                 "00",
                                                 "9",
                                                 "nan",
                                                 "NULL",
                                                 "na",
                                                 "1e400",
                                                 "inf",
                                                 "1e-46",
                                                 "0x1",
                                                 "\xef\xbb\xbf",
                                                 std::string_view("\0", 1),
                                                 "16777217"};
  const auto place = [&](const std::string& in) { return in.empty() ? 0 : random() % in.size(); };
  const auto at = place(text), size = 1 + random() % 8;
  switch (random() % 6) {
    case 0:
      return text.insert(at, kPieces[random() % std::size(kPieces)]);
    case 1:
      return text.erase(at, size);
    case 2:
      if (!text.empty()) text[at] = static_cast<char>(random());
      return text;
    case 3:
      return text.insert(at, text.substr(place(text), 4 * size));
    case 4:
      return text.insert(at, other.substr(place(other), 4 * size));
    default:
      return text.substr(0, at) + other.substr(place(other));
  }
}

template <class Context>
class FuzzCsv : public OnBackend<Context> {
 protected:
  static std::string failure_of(Context& context, const std::string& text) {
    try {
      fuzz::check_csv(context, text);
    } catch (const std::exception& find) {
      return find.what();
    }
    return "";
  }
};
TYPED_TEST_SUITE(FuzzCsv, Backends, BackendNames);

TYPED_TEST(FuzzCsv, AgreesWithAPlainReader) {
  for (const auto& file : files_of("csv")) EXPECT_EQ(this->failure_of(this->context(), contents_of(file)), "") << file;
}

// BEATSCAN_TEST_CASES sets how many files are tried; by default that takes a few seconds.
TYPED_TEST(FuzzCsv, AgreesWithAPlainReaderOnChangedFiles) {
  std::vector<std::string> texts;
  for (const auto& file : files_of("csv")) texts.push_back(contents_of(file));
  const char* wanted = std::getenv("BEATSCAN_TEST_CASES");
  const std::int64_t cases =
      wanted ? std::max(std::atoll(wanted) / 1000, 1ll) : 1'000;  // a case is a file here, and a number in other tests
  for (std::int64_t seed = 0; seed < cases; ++seed) {
    std::mt19937_64 random(seed);
    std::string text = texts[random() % texts.size()];
    for (auto changes = 1 + random() % 5; changes > 0; --changes)
      text = changed(text, texts[random() % texts.size()], random);
    ASSERT_EQ(this->failure_of(this->context(), text), "") << "seed " << seed << "\n" << text;
  }
}

}  // namespace
}  // namespace beatscan
