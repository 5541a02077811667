#include "kernels/runtime/driver_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

std::string path_of(int number) {
  return std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(number)).string();
}

TEST(DriverFiles, AreReplacedAndOthersAreNot) {
  const TemporaryFolder folder;
  const auto path = std::filesystem::canonical(folder.path());
  const auto open_new = [&](const char* name) {
    folder.write(name, "x");
    return open((path / name).c_str(), O_RDONLY | O_CLOEXEC);
  };
  const int gpu = open_new("nvidia0"), control = open_new("nvidiactl"), other = open_new("ecg.csv");
  release_driver_files(path / "nvidia");
  EXPECT_EQ(path_of(gpu), "/dev/null");
  EXPECT_EQ(path_of(control), "/dev/null");
  EXPECT_EQ(path_of(other), (path / "ecg.csv").string());
  const int later = open_new("later");
  EXPECT_NE(later, gpu);
  EXPECT_NE(later, control);
  char byte = 0;
  EXPECT_EQ(read(gpu, &byte, 1), 0);
  EXPECT_EQ(read(other, &byte, 1), 1);
  for (const int number : {gpu, control, other, later}) close(number);
}

}  // namespace
}  // namespace beatscan
