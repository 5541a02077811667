// A GPU that fails, without one: what is decided, by callables in its place.
#include "app/run/device.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace beatscan {
namespace {

class Device : public testing::Test {
 protected:
  std::string run(DeviceFallback& fallback, bool gpu_fails, ErrorKind status = ErrorKind::device) {
    return fallback.run(
        "a.csv",
        [&]() -> std::string {
          if (gpu_fails) throw Error(status, "CUDA: out of memory");
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
  EXPECT_THROW(run(fallback, true), Error);
}

TEST_F(Device, OtherErrorsAreNotTheGpus) {
  DeviceFallback fallback(
      true, [] { return true; }, log_);
  for (const ErrorKind status : {ErrorKind::input, ErrorKind::unanalysable, ErrorKind::output, ErrorKind::internal})
    EXPECT_THROW(run(fallback, true, status), Error);
  EXPECT_EQ(run(fallback, false), "gpu");
}

}  // namespace
}  // namespace beatscan
