#include "stages/io/recording/temporary_file.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <string>

#include "tests/support/compressed.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

std::atomic<std::size_t> available = 0;
std::size_t available_now() { return available; }

std::string unpacked_bytes(const InputFile& file) {
  std::string text(static_cast<std::size_t>(file.size()), '\0');
  EXPECT_EQ(file.read(0, text), file.size());
  return text;
}

class TemporaryFiles : public testing::Test {
 protected:
  TemporaryFiles() { setenv("TMPDIR", folder_.path().c_str(), 1); }
  ~TemporaryFiles() override {
    if (before_.empty())
      unsetenv("TMPDIR");
    else
      setenv("TMPDIR", before_.c_str(), 1);
  }
  const std::string before_ = std::getenv("TMPDIR") ? std::getenv("TMPDIR") : "";
  TemporaryFolder folder_;
  const std::string part_ = std::string(1 << 20, 'x') + "y";
};

TEST_F(TemporaryFiles, LieInMemoryWhereItIsLarge) {
  setenv("TMPDIR", (folder_.path() / "none").c_str(), 1);
  TemporaryFile file;
  file.append(part_);
  EXPECT_TRUE(file.in_memory());
  EXPECT_TRUE(unpacked_bytes(file.take("x")) == part_);
  const auto packed = std::make_shared<const InputFile>(folder_.write("x.gz", gzip("1\n2\n")));
  EXPECT_EQ(unpacked_bytes(*unpacked(packed)), "1\n2\n");
}

TEST_F(TemporaryFiles, LieOnTheDiskWhereThereIsNoMemory) {
  available = 1 << 20;
  TemporaryFile file({}, available_now);
  file.append(part_);
  EXPECT_FALSE(file.in_memory());
  EXPECT_TRUE(unpacked_bytes(file.take("x")) == part_);
}

// The available memory is queried every 16 MiB.
TEST_F(TemporaryFiles, MoveToTheDiskWhenTheyGrow) {
  available = std::size_t{1} << 30;
  TemporaryFile file({}, available_now);
  std::string all;
  for (int i = 0; i < 40; ++i) {
    if (i == 20) available = std::size_t{100} << 20;
    file.append(part_);
    all += part_;
    EXPECT_EQ(file.in_memory(), i < 32) << i;
  }
  EXPECT_TRUE(unpacked_bytes(file.take("x")) == all);
}

TEST_F(TemporaryFiles, ReportWhereTheyDoNotFit) {
  setenv("TMPDIR", (folder_.path() / "none").c_str(), 1);
  available = 0;
  expect_error(ErrorKind::output, "none: no room for a temporary file: No such file or directory; set TMPDIR",
               [] { TemporaryFile({}, available_now); });
  TemporaryFile small(10);
  expect_error(ErrorKind::output, "the input takes more than 10 bytes", [&] { small.append("12345678901"); });
}

}  // namespace
}  // namespace beatscan
