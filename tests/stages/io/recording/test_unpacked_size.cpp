#include "stages/io/recording/unpacked_size.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/compressed.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

TEST(UnpackedSize, IsReadFromTheFile) {
  const TemporaryFolder folder;
  for (const std::size_t size : {1'000u, 70'000u, 3'000'000u}) {
    std::string text;
    for (int i = 0; text.size() < size; ++i) text += std::to_string(i % 977) + "\n";
    const auto bytes = std::ssize(text);
    EXPECT_EQ(unpacked_size(folder.write("x", text)), bytes);
    EXPECT_EQ(unpacked_size(folder.write("x", gzip(text))), bytes);
    EXPECT_EQ(unpacked_size(folder.write("x", zstd(text))), bytes);
    EXPECT_EQ(unpacked_size(folder.write("x", xz(text))), bytes);
  }
}

// bzip2 does not specify it, nor does gzip of several parts, nor a truncated file.
TEST(UnpackedSize, IsEstimatedIfTheFileLacksIt) {
  const TemporaryFolder folder;
  const std::string text(100'000, '1');
  const std::string several = gzip(text) + gzip("1\n");
  for (const auto& packed : {bzip2(text), several, xz(text).substr(0, 100)})
    EXPECT_EQ(unpacked_size(folder.write("x", packed)), 6 * std::ssize(packed));
  EXPECT_EQ(unpacked_size(folder.path() / "none"), 0);
}

}  // namespace
}  // namespace beatscan
