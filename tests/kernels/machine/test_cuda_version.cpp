#include "kernels/machine/cuda_version.h"

#include <gtest/gtest.h>

namespace beatscan {
namespace {

TEST(CudaVersions, AreWrittenWithAPoint) {
  EXPECT_EQ(cuda_version(13000), "13.0");
  EXPECT_EQ(cuda_version(12080), "12.8");
}

TEST(CudaVersions, ADriverThatIsTooOldIsReportedWithTheRequiredOne) {
  EXPECT_EQ(driver_too_old(12040, 13000),
            "the NVIDIA driver supports CUDA up to 12.4; install one for CUDA 13.0, which is 580 or later");
  // Minor versions of CUDA are compatible: the first driver of the major version is enough.
  EXPECT_EQ(driver_too_old(12080, 13020), driver_too_old(12080, 13000));
  EXPECT_EQ(driver_too_old(13000, 14010), "the NVIDIA driver supports CUDA up to 13.0; install one for CUDA 14.0");
}

}  // namespace
}  // namespace beatscan
