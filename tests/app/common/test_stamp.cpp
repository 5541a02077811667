#include "app/common/whole_file.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

TEST(Stamp, ChangesWithTheFile) {
  const TemporaryFolder folder;
  const auto file = folder.write("a", "one");
  EXPECT_EQ(stamp_of(file), "") << "it may be changed again within the same tick of the clock";
  EXPECT_EQ(stamp_of(folder.path() / "nothing"), "");
  EXPECT_EQ(stamp_of(folder.path()), "");
  std::this_thread::sleep_for(std::chrono::milliseconds(3100));
  const std::string stamp = stamp_of(file);
  EXPECT_NE(stamp, "");
  EXPECT_EQ(stamp_of(file), stamp);
  // Replaces the file by another one of the same size and the same times.
  const auto other = folder.write("b", "two");
  std::filesystem::last_write_time(other, std::filesystem::last_write_time(file));
  std::filesystem::rename(other, file);
  EXPECT_EQ(stamp_of(file), "");
  std::this_thread::sleep_for(std::chrono::milliseconds(3100));
  EXPECT_NE(stamp_of(file), "");
  EXPECT_NE(stamp_of(file), stamp);
}

}  // namespace
}  // namespace beatscan
