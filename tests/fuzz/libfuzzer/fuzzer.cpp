// The entry point of a libFuzzer program. It calls the target that BEATSCAN_FUZZ_TARGET names.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  beatscan::fuzz::BEATSCAN_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
