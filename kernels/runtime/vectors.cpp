#include "kernels/runtime/vectors.h"

#include <algorithm>
#include <cstdlib>

namespace beatscan {
namespace {

int widest_of_processor() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f")) return 512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return 256;
#endif
  return 128;
}

}  // namespace

int vector_bits() {
  static const int bits = [] {
    const char* most = std::getenv("BEATSCAN_VECTOR_BITS");
    const int wanted = most ? std::atoi(most) : 0, widest = widest_of_processor();
    return wanted >= 128 ? std::min(wanted, widest) : widest;
  }();
  return bits;
}

}  // namespace beatscan
