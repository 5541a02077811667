#include "kernels/machine/cuda_version.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kernels/runtime/buffer.h"
#include "kernels/runtime/current_device.h"
#include "tests/support/backends.h"
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

#ifdef BEATSCAN_WITH_CUDA

int files_of_the_driver() {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code closed_meanwhile;
    count += std::filesystem::read_symlink(entry.path(), closed_meanwhile).string().starts_with("/dev/nvidia");
  }
  return count;
}

// Uses CUDA and ends it, in a process of its own. Leaves with the number of the driver's files that are open then.
[[noreturn]] void use_and_end_cuda() {
  std::optional<Cuda> cuda;
  cuda.emplace(cuda_availability().first_usable());
  to_host(*cuda, from_host(*cuda, std::vector<float>{1, 2, 3}));
  if (files_of_the_driver() == 0) std::_Exit(99);
  end_cuda(cuda);
  std::_Exit(files_of_the_driver());
}

class EndOfCuda : public OnBackend<Cuda> {
  void SetUp() override {
    OnBackend<Cuda>::SetUp();
    GTEST_FLAG_SET(death_test_style, "threadsafe");  // the child is a process from the start: CUDA survives no fork
  }
};

TEST_F(EndOfCuda, LeavesNoFileOfTheDriverOpen) { EXPECT_EXIT(use_and_end_cuda(), testing::ExitedWithCode(0), ""); }

TEST_F(EndOfCuda, LeavesThemOpenForATool) {
  for (const char* name : {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"}) {
    setenv(name, "/nowhere/tool.so", 1);
    EXPECT_EXIT(
        use_and_end_cuda(), [](int status) { return WIFEXITED(status) && WEXITSTATUS(status) % 99 > 0; }, "");
    unsetenv(name);
  }
}

#endif

}  // namespace
}  // namespace beatscan
