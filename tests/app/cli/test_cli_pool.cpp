// The program's options for device memory.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "app/synthetic/generate.h"
#include "kernels/runtime/context.h"
#include "tests/support/backends.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

class CliPool : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  ProgramResult run(const std::string& out, const std::vector<std::string>& more) const {
    if (!std::filesystem::exists(path("ecg.csv"))) generate(Cpu(1), {.samples = 100'000}, path("ecg.csv"));
    std::vector<std::string> arguments = {"run",   path("ecg.csv"), "--rate", "250",
                                          "--set", "vae.epochs=1",  "--out",  path(out)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }
  TemporaryFolder folder_;
};

TEST_F(CliPool, WithoutADeviceTheLogHasHeadingsAlone) {
  const auto result = run("out", {"--device", "cpu", "--pool-log", path("pool.csv")});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(contents_of(path("pool.csv")), "time_s,action,bytes,address\n");
}

TEST_F(CliPool, ALogIsNotOverwrittenUnasked) {
  std::ofstream(path("pool.csv")) << "mine\n";
  const auto refused = run("out", {"--device", "cpu", "--pool-log", path("pool.csv")});
  EXPECT_EQ(refused.status, 6);
  EXPECT_NE(refused.err.find("pool.csv"), std::string::npos) << refused.err;
  EXPECT_FALSE(std::filesystem::exists(path("out")));
  EXPECT_EQ(run("out", {"--device", "cpu", "--force", "--pool-log", path("pool.csv")}).status, 0);
  EXPECT_NE(contents_of(path("pool.csv")), "mine\n");
}

TEST_F(CliPool, ALimitIsForDeviceMemory) {
  const auto result = run("out", {"--set", "pool.kind=managed", "--set", "pool.limit_bytes=1000000"});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("pool.limit_bytes"), std::string::npos) << result.err;
  EXPECT_EQ(run("out", {"--set", "pool.limit_bytes=-1"}).status, 2);
}

// Runs within 2 MB of device memory and in managed memory give the same files, and the log balances.
TEST_F(CliPool, NoChoiceOfMemoryChangesAResult) {
  if (cuda_availability().devices == 0 && gpu_is_required()) FAIL() << cuda_availability().reason;
  if (cuda_availability().devices == 0) GTEST_SKIP() << "needs a GPU: " << cuda_availability().reason;
  ASSERT_EQ(run("all", {"--device", "cuda"}).status, 0);
  ASSERT_EQ(run("little", {"--device", "cuda", "--set", "pool.limit_bytes=2000000"}).status, 0);
  ASSERT_EQ(run("managed", {"--device", "cuda", "--set", "pool.kind=managed", "--pool-log", path("log.csv")}).status,
            0);
  // model.safetensors is not compared: it has the configuration.
  for (const char* name : {"/beats.csv", "/generated.csv", "/quality.csv", "/ecg.vae"})
    for (const char* other : {"little", "managed"})
      EXPECT_TRUE(contents_of(path("all") + name) == contents_of(path(other) + name)) << other << name;
  const std::string log = contents_of(path("log.csv"));
  const auto count = [&](const std::string& action) {
    int lines = 0;
    for (std::size_t at = 0; (at = log.find("," + action + ",", at)) != std::string::npos; ++at) ++lines;
    return lines;
  };
  EXPECT_GT(count("allocate"), 50);
  EXPECT_EQ(count("allocate"), count("free"));
}

}  // namespace
}  // namespace beatscan
