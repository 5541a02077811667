// One of the targets as a program of libFuzzer: BEATSCAN_FUZZ_TARGET says which.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  beatscan::fuzz::BEATSCAN_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
