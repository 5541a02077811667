#include "stages/model/vae_library.h"

#include <gtest/gtest.h>

namespace beatscan {
namespace {

TEST(VaeLibrary, ThatCannotBeLoadedSaysWhatToDo) {
  EXPECT_EQ(why_not_loaded("libtorch_cpu.so: failed to map segment from shared object"),
            "LibTorch cannot be loaded: libtorch_cpu.so: failed to map segment from shared object; allow the program "
            "more memory (ulimit -v, or that of the container)");
  EXPECT_EQ(why_not_loaded("libc10.so: cannot open shared object file"),
            "LibTorch cannot be loaded: libc10.so: cannot open shared object file; install PyTorch, or the program, "
            "anew");
}

}  // namespace
}  // namespace beatscan
