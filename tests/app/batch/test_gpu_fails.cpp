// GPUs that fail during a run (tests/faulty_gpu): nothing is lost, and each recording that is analysed in another way,
// or not at all, is reported.
#ifdef BEATSCAN_WITH_CUDA

#include <cuda.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "app/common/errors.h"
#include "kernels/runtime/context.h"
#include "tests/app/batch/cohort_test.h"
#include "tests/paths/paths.h"
#include "tests/support/backends.h"

namespace beatscan {
namespace {

struct Fault {
  std::string what;  // see tests/faulty_gpu
  int at = 1, on = 0;
  std::string in = "first";
};

class GpuFails : public Cohort {
 protected:
  void SetUp() override {
    const CudaAvailability cuda = cuda_availability();
    if (cuda.devices == 0 && gpu_is_required()) FAIL() << "BEATSCAN_REQUIRE_GPU=1, but: " << cuda.reason;
    if (cuda.devices == 0) GTEST_SKIP() << "needs a GPU: " << cuda.reason;
    gpus_ = cuda.devices;
    Cohort::SetUp();
    folder_.write("d/good.csv",
                  "input,rate,truth,name\nr3.csv,250,,\nr0.csv,250,r0.truth.csv,\nr1.csv,250,,two\n"
                  "x/r0.csv,250,,\nr2.csv,250,,\n");
  }

  ProgramResult run_on(const std::string& device, const std::string& out, const Fault& fault = {},
                       const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"run",  "--list", path("d/good.csv"), "--out", path(out), "--device",
                                          device, "--set",  "vae.epochs=2"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(command_of(arguments, environment(device, fault)));
  }
  // With `auto`, the program sees only the first GPU.
  static std::vector<std::string> environment(const std::string& device, const Fault& fault) {
    std::vector<std::string> settings;
    if (device == "auto") settings = {"CUDA_VISIBLE_DEVICES=0"};
    if (fault.what.empty()) return settings;
    for (const auto& setting :
         {"LD_PRELOAD=" + faulty_gpu_path(), "BEATSCAN_GPU_FAULT=" + fault.what,
          "BEATSCAN_GPU_FAULT_AT=" + std::to_string(fault.at), "BEATSCAN_GPU_FAULT_ON=" + std::to_string(fault.on),
          "BEATSCAN_GPU_FAULT_IN=" + fault.in})
      settings.push_back(setting);
    return settings;
  }
  // More than the launches of the first recording, and fewer than those of all of them.
  static constexpr int kAfterTheFirst = 700;
  static Fault trap(int at, int on = 0) { return {"trap", at, on}; }
  static Fault trap_everywhere(int at) { return {"trap", at, 0, "all"}; }
  static Fault returns(CUresult result, int at) { return {std::to_string(static_cast<int>(result)), at}; }

  static std::int64_t count(const std::string& text, const std::string& part) {
    std::int64_t times = 0;
    for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++times;
    return times;
  }
  // Writes a recording into d/pipe.csv. It waits for a reader, which may never come.
  CommandLine into_the_pipe() const { return {{"cp", path("d/r2.csv"), path("d/pipe.csv")}}; }
  std::int64_t complete(const std::string& out) const { return count(text(out + "/cohort.csv"), ",complete,"); }
  void expect_same(const std::string& one, const std::string& other) const {
    for (const std::string name : {"r0", "r0-2", "two", "r2", "r3"})
      EXPECT_EQ(difference_of_results(path(one + "/" + name), path(other + "/" + name)), "") << name;
    for (const std::string file : {"/cohort.csv", "/index.html"}) EXPECT_EQ(text(one + file), text(other + file));
  }
  int gpus_ = 0;
};

// After a failed kernel, a process cannot use CUDA any more, on any GPU.
TEST_F(GpuFails, OtherProcessesDoTheRestOfABatch) {
  ASSERT_EQ(run_on("cuda:0", "whole").status, 0);
  for (const std::string at_a_time : {"1", "4"}) {
    const std::string out = "o" + at_a_time;
    const auto result = run_on("cuda:0", out, trap(kAfterTheFirst), {"--in-flight", at_a_time});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_GE(count(result.err, "is analysed by another process, because the GPU failed"), 1) << result.err;
    EXPECT_EQ(std::ssize(error_lines(result)), 0) << result.err;
    EXPECT_EQ(count(result.out, "results    "), 5) << result.out;
    expect_same("whole", out);
  }
}

TEST_F(GpuFails, ProcessesThatFailAreReplaced) {
  ASSERT_EQ(run_on("cuda:0", "whole").status, 0);
  const auto result = run_on("cuda:0", "o", trap_everywhere(kAfterTheFirst), {"--in-flight", "1"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_GE(count(result.err, "is analysed by another process, because the GPU failed"), 1) << result.err;
  expect_same("whole", "o");
}

TEST_F(GpuFails, TheCpuDoesWhatNoProcessCanDo) {
  const auto result = run_on("auto", "o", trap_everywhere(1), {"--in-flight", "2"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(complete("o"), 5) << text("o/cohort.csv");
  EXPECT_GE(count(result.err, "is analysed on the CPU, because the GPU failed"), 1) << result.err;
  EXPECT_GE(count(result.err, "; so is everything after it"), 1) << result.err;
}

TEST_F(GpuFails, WhatNoProcessCanDoFailsWhereOnlyTheGpuMayWork) {
  if (gpus_ > 1) GTEST_SKIP() << "needs a machine with one GPU";
  ASSERT_EQ(run_on("cuda", "whole").status, 0);
  auto result = run_on("cuda", "o", trap_everywhere(20));
  EXPECT_EQ(result.status, static_cast<int>(ExitStatus::device)) << result.err;
  EXPECT_EQ(std::ssize(error_lines(result)), 5 + 1) << result.err;
  EXPECT_EQ(count(text("o/failures.csv"), "\n"), 5 + 1) << text("o/failures.csv");
  result = run_on("cuda", "o", {}, {"--resume"});
  EXPECT_EQ(result.status, 0) << result.err;
  expect_same("whole", "o");
}

TEST_F(GpuFails, TheRestIsDoneWhereOneOfSeveralGpusFails) {
  if (gpus_ < 2) GTEST_SKIP() << "needs two GPUs";
  ASSERT_EQ(run_on("cuda:0", "whole").status, 0);
  for (const std::string in : {"first", "all"}) {
    const auto result = run_on("cuda:0,1", in, {"trap", 20, 1, in}, {"--in-flight", "2"});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_GE(count(result.err, "because the GPU failed"), 1) << result.err;
    expect_same("whole", in);
  }
}

TEST_F(GpuFails, TheResultsOfAllGpusAreThoseOfOne) {
  if (gpus_ < 2) GTEST_SKIP() << "needs two GPUs";
  ASSERT_EQ(run_on("cuda", "whole").status, 0);
  ASSERT_EQ(run_on("cuda:1", "second").status, 0);
  expect_same("whole", "second");
  ASSERT_EQ(run_program(command_of({"run", "--list", path("d/good.csv"), "--out", path("o"), "--device", "cuda",
                                    "--set", "vae.epochs=2", "--in-flight", "1"},
                                   {"CUDA_VISIBLE_DEVICES=0"}))
                .status,
            0);
  expect_same("whole", "o");
}

TEST_F(GpuFails, ALaunchThatFailsIsTriedOnceMoreOnAGpuAlone) {
  ASSERT_EQ(run_on("cuda:0", "whole").status, 0);
  const auto result =
      run_on("cuda:0", "o", returns(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, kAfterTheFirst), {"--in-flight", "4"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(count(result.err, "is analysed again, alone on its GPU, because the GPU failed"), 1) << result.err;
  EXPECT_EQ(count(result.err, "the launch of a kernel"), 1) << result.err;
  expect_same("whole", "o");
}

// A thread that has not used CUDA yet has no current context, and the driver reports that at each kernel launch.
TEST_F(GpuFails, ALaunchWithoutAContextIsRepeatedSilently) {
  ASSERT_EQ(run_on("cuda:0", "whole").status, 0);
  const auto result = run_on("cuda:0", "o", returns(CUDA_ERROR_INVALID_CONTEXT, kAfterTheFirst));
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(count(result.err, "the GPU failed"), 0) << result.err;
  expect_same("whole", "o");
}

// A pipe can be read once, and only by this process.
TEST_F(GpuFails, APipeIsNotGivenToAnotherProcess) {
  ASSERT_EQ(mkfifo(path("d/pipe.csv").c_str(), 0600), 0);
  folder_.write("d/good.csv", "input,rate\nr3.csv,250\npipe.csv,250\n");
  for (const std::string device : {"cuda:0", "auto"}) {
    const RunningProgram writer(into_the_pipe());
    const auto result = run_on(device, device, trap_everywhere(1), {"--in-flight", "1"});
    const int done = device == "auto" ? 2 : 0;
    EXPECT_EQ(complete(device), done) << result.err;
    EXPECT_EQ(result.status, done == 2 ? 0 : static_cast<int>(ExitStatus::device)) << result.err;
    EXPECT_EQ(count(result.err, path("d/pipe.csv") + ": is analysed by another process"), 0) << result.err;
    EXPECT_GE(count(result.err, path("d/pipe.csv") + ": "), 1) << result.err;
  }
}

// After a pipe, the thread returns to the GPU, in a worker process.
TEST_F(GpuFails, OnlyThePipeIsDoneOnTheCpu) {
  ASSERT_EQ(mkfifo(path("d/pipe.csv").c_str(), 0600), 0);
  folder_.write("d/good.csv", "input,rate\npipe.csv,250\nr0.csv,250\nr1.csv,250\nr3.csv,250\n");
  const RunningProgram writer(into_the_pipe());
  const auto result = run_on("auto", "o", trap(1), {"--in-flight", "1"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(complete("o"), 4) << result.err;
  EXPECT_EQ(count(result.err, "is analysed on the CPU"), 1) << result.err;
  EXPECT_EQ(count(result.err, "so is everything after it"), 0) << result.err;
}

TEST_F(GpuFails, ThePoolLogSaysThatOthersAreLeftOut) {
  const auto result = run_on("cuda:0", "o", trap(1), {"--pool-log", path("pool.csv")});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(count(result.err, "--pool-log leaves out what other processes ask for"), 1) << result.err;
  EXPECT_EQ(complete("o"), 5) << text("o/cohort.csv");
}

// A training in a worker process is saved on SIGTERM and not on SIGINT, and continues with --resume.
TEST_F(GpuFails, SignalsReachTheOtherProcess) {
  const auto run_stopped_by = [&](int signal) {
    std::vector<std::string> arguments = {
        "run",    "--list", path("d/good.csv"),  "--out",       path("o"), "--device",
        "cuda:0", "--set",  "vae.epochs=100000", "--in-flight", "1",       "--resume"};
    RunningProgram program(command_of(arguments, environment("cuda:0", trap(1))));
    EXPECT_TRUE(program.says_on_stderr("is analysed by another process"));
    std::this_thread::sleep_for(std::chrono::seconds(3));  // CUDA starts there, and the training begins
    program.send(signal);
    return program.wait();
  };
  const auto kept = [&] {
    const auto names = names_in(path("o"));
    return std::ranges::count_if(names, [](const auto& name) { return name.ends_with(".checkpoint.safetensors"); });
  };
  EXPECT_EQ(run_stopped_by(SIGINT).status, 128 + SIGINT);
  EXPECT_EQ(kept(), 0);
  const auto stopped = run_stopped_by(SIGTERM);
  EXPECT_EQ(stopped.status, 128 + SIGTERM);
  EXPECT_EQ(kept(), 1) << stopped.err;
}

TEST_F(GpuFails, TheCpuDoesTheOnlyRecordingWhereItMay) {
  const auto one = [&](const std::string& device, const std::string& out) {
    return run_program(command_of({"run", path("d/r1.csv"), "--rate", "250", "--device", device, "--out", path(out)},
                                  environment(device, trap(20))));
  };
  auto result = one("auto", "o");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(count(result.err, "is analysed on the CPU, because the GPU failed"), 1) << result.err;
  result = one("cuda:0", "none");
  EXPECT_EQ(result.status, static_cast<int>(ExitStatus::device)) << result.err;
  EXPECT_EQ(std::ssize(error_lines(result)), 1) << result.err;
  EXPECT_FALSE(std::filesystem::exists(path("none")));
}

}  // namespace
}  // namespace beatscan

#endif
