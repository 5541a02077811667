// Tests the memory of pieces of text on a GPU.
#include "kernels/runtime/upload.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/backends.h"

namespace beatscan {
namespace {

#ifdef BEATSCAN_WITH_CUDA

class UploadTest : public OnBackend<Cuda> {};

TEST_F(UploadTest, APieceHasRoomForTheWholeWordsThatKernelsRead) {
  const std::int64_t held = context().pool().held_bytes();
  for (const std::int64_t bytes : {1, 15, 16, 17, 1000}) {
    Upload<Cuda> upload(context(), bytes);
    EXPECT_EQ(context().pool().held_bytes() - held, 2 * ((bytes + 15) / 16 * 16)) << bytes;
    const std::vector<char> text(static_cast<std::size_t>(bytes), 'x');
    upload.start(text);
    EXPECT_EQ(to_host(context(), upload.finish()), text);
  }
}

#endif

}  // namespace
}  // namespace beatscan
