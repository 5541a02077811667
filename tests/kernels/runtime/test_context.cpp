// Tests contexts on a GPU: the stream that a later context reuses, and limits of memory on several GPUs.
#include "kernels/runtime/context.h"

#include "kernels/lists/local_quantiles.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/pool_options.h"
#include "tests/support/backends.h"

namespace beatscan {
namespace {

#ifdef BEATSCAN_WITH_CUDA

class Context : public OnBackend<Cuda> {
 protected:
  const int device_ = cuda_availability().devices > 0 ? cuda_availability().first_usable() : 0;
};

TEST_F(Context, TakesTheStreamOfOneThatHasEnded) {
  CUstream_st* of_the_first = nullptr;
  {
    const Cuda first(device_);
    of_the_first = first.stream();
  }
  const Cuda second(device_);
  EXPECT_EQ(second.stream(), of_the_first);
}

TEST_F(Context, OfTwoAtATimeHasAStreamOfItsOwn) {
  const Cuda first(device_), second(device_);
  EXPECT_NE(first.stream(), second.stream());
  EXPECT_NE(first.stream(), context().stream());
}

TEST_F(Context, LeavesAStreamThatIsNotItsOwn) {
  Cuda owner(device_);
  { const Cuda borrower(device_, owner.stream(), nullptr); }
  const Cuda another(device_);
  EXPECT_NE(another.stream(), owner.stream());
}

TEST_F(Context, OnAGpuThatIsNotThereLeavesNoErrorForTheNextKernel) {
  EXPECT_THROW(Cuda(device_ + 1000), Error);
  const auto values = from_host(context(), std::vector<float>(3000, 1.0f));
  EXPECT_NO_THROW(sorted(context(), values)) << "CUB asks for the last error";
}

// Returns whether a device gives more than the limits of the pools in this test.
bool has_no_limit(int device) {
  Cuda cuda(device, {.may_spill = false});
  try {
    const Buffer<char, Cuda> more(cuda, 200 << 20);
    return true;
  } catch (const Error&) {
    return false;
  }
}

TEST_F(Context, ALimitOfOneGpuEndsWithItsOwnPools) {
  if (cuda_availability().devices < 2) GTEST_SKIP() << "needs two GPUs";
  const PoolOptions limited{.limit_bytes = 64 << 20};
  {
    const Cuda first(0, limited);
    { const Cuda second(1, limited); }
    EXPECT_TRUE(has_no_limit(1));
    EXPECT_FALSE(has_no_limit(0)) << "the first one's limit goes on";
  }
  EXPECT_TRUE(has_no_limit(0));
}

#endif

}  // namespace
}  // namespace beatscan
