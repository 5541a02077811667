// DeviceFallback's decisions when a GPU fails. Callables stand in for the GPU and the CPU.
#include "app/run/device.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

class Device : public testing::Test {
 protected:
  std::string run(DeviceFallback& fallback, bool gpu_fails, ErrorKind kind = ErrorKind::device) {
    return fallback.run(
        "a.csv",
        [&]() -> std::string {
          if (gpu_fails) throw Error(kind, "CUDA: out of memory");
          return "gpu";
        },
        [] { return std::string("cpu"); });
  }
  Log log_{1, LogFormat::text};
};

TEST_F(Device, WhatFailsOnTheGpuIsDoneOnTheCpuAndTheNextOnTheGpuAgain) {
  DeviceFallback fallback(
      true, [] { return true; }, log_);
  EXPECT_EQ(run(fallback, false), "gpu");
  testing::internal::CaptureStderr();
  EXPECT_EQ(run(fallback, true), "cpu");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "warning: a.csv: on the CPU, because the GPU failed (CUDA: out of memory)\n");
  EXPECT_EQ(run(fallback, false), "gpu");
}

TEST_F(Device, AGpuThatWorksNoMoreIsNotAskedAgain) {
  int asked = 0;
  DeviceFallback fallback(
      true, [&] { return ++asked, false; }, log_);
  EXPECT_EQ(run(fallback, true), "cpu");
  EXPECT_FALSE(fallback.gpu_works());
  EXPECT_EQ(run(fallback, false), "cpu");
  EXPECT_EQ(asked, 1);
}

TEST_F(Device, WhereTheGpuIsInsistedOnItsErrorStays) {
  DeviceFallback fallback(
      false, [] { return true; }, log_);
  expect_error(ErrorKind::device, "out of memory", [&] { run(fallback, true); });
}

TEST_F(Device, OtherErrorsAreNotTheGpus) {
  DeviceFallback fallback(
      true, [] { return true; }, log_);
  for (const ErrorKind kind : {ErrorKind::input, ErrorKind::unanalysable, ErrorKind::output, ErrorKind::internal})
    expect_error(kind, "out of memory", [&] { run(fallback, true, kind); });
  EXPECT_EQ(run(fallback, false), "gpu");
}

}  // namespace
}  // namespace beatscan
