// cuFFT is a library of some 290 MB: only the published method may load it.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "app/synthetic/generate.h"
#include "tests/support/backends.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

#ifdef BEATSCAN_WITH_CUDA

class CliCufft : public OnBackend<Cuda> {
 protected:
  // Returns whether a run opens cuFFT: the dynamic loader reports each library that it opens.
  bool is_opened(const std::string& config) const {
    const std::string input = (folder_.path() / "ecg.csv").string();
    if (!std::filesystem::exists(input)) generate(Cpu(1), {.samples = 100'000}, input);
    const auto result =
        run_program(command_of({"run", input, "--rate", "250", "--device", "cuda", "--config", config, "--set",
                                "vae.epochs=1", "--force", "--out", (folder_.path() / config).string()},
                               {"LD_DEBUG=files"}));
    EXPECT_EQ(result.status, 0) << result.err.substr(0, 2000);
    EXPECT_NE(result.err.find("file=libbeatscan_kernels.so"), std::string::npos) << result.err.substr(0, 2000);
    return result.err.find("file=libcufft.so") != std::string::npos;
  }
  TemporaryFolder folder_;
};

TEST_F(CliCufft, IsLoadedForThePublishedMethodAlone) {
  EXPECT_FALSE(is_opened("default"));
  EXPECT_TRUE(is_opened("seed"));
}

#endif

}  // namespace
}  // namespace beatscan
