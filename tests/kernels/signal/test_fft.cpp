#ifdef BEATSCAN_WITH_CUDA
#include "kernels/signal/convolve_circular.h"

#include <gtest/gtest.h>

namespace beatscan {
namespace {

// It needs no GPU.
TEST(Cufft, IsLoadedWithAllFunctionsThatAreUsed) { EXPECT_NO_THROW(load_cufft()); }

}  // namespace
}  // namespace beatscan
#endif
