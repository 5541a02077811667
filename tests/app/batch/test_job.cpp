#include "app/batch/plan.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/support/compressed.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

// A compressed recording counts with its uncompressed size: previously, 40 compressed ones of 200 MB were read at a
// time.
TEST(MemoryNeeded, OfAPackedFileIsThatOfWhatItHolds) {
  const TemporaryFolder folder;
  std::mt19937 random(1);
  std::string text;
  while (text.size() < 3'500'000) text += "0." + std::to_string(random() % 1000) + "\n";
  const auto plain = memory_needed(folder.write("x.csv", text));
  EXPECT_EQ(plain, (std::int64_t{64} << 20) + 8 * std::ssize(text));
  EXPECT_EQ(memory_needed(folder.write("x.csv.gz", gzip(text))), plain);
  EXPECT_EQ(memory_needed(folder.write("x.csv.zst", zstd(text))), plain);
  EXPECT_LT(memory_needed(folder.write("y.csv.gz", gzip(text.substr(0, 1000)))), std::int64_t{65} << 20);
  EXPECT_EQ(memory_needed(folder.path() / "none.csv.gz"), std::int64_t{64} << 20);
}

}  // namespace
}  // namespace beatscan
