// Tests contexts on a GPU: the stream that a context takes over.
#include "kernels/runtime/context.h"

#include "kernels/runtime/error.h"
#include "tests/support/backends.h"

namespace beatscan {
namespace {

#ifdef BEATSCAN_WITH_CUDA

class Context : public OnBackend<Cuda> {
 protected:
  const int device_ = 0;
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
  { const Cuda borrower(device_, owner.stream()); }
  const Cuda another(device_);
  EXPECT_NE(another.stream(), owner.stream());
}

TEST_F(Context, ThatCannotBeMadeLeavesItsStream) {
  CUstream_st* idle = nullptr;
  {
    const Cuda first(device_);
    idle = first.stream();
  }
  EXPECT_THROW(Cuda(device_ + 1000), Error);
  const Cuda second(device_);
  EXPECT_EQ(second.stream(), idle);
}

#endif

}  // namespace
}  // namespace beatscan
