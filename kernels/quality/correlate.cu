#include "kernels/quality/correlate_common.h"
#include "kernels/runtime/launch.cuh"

namespace beatscan::quality {
namespace {

// One thread works on one row of the window, if it is a beat's.
__global__ void correlate_kernel(WindowBeats window, float* pairs) {
  const std::int64_t row = global_thread(), block = row / kMostBeats;
  if (block >= window.blocks) return;
  const std::int64_t beat = window.first_beat[block] + row % kMostBeats;
  if (beat < window.first_beat[block + 1]) correlate_beat(window, beat, pairs);
}

}  // namespace

void correlate(Cuda& cuda, const WindowBeats& window, std::span<float> pairs) {
  launch(cuda, {blocks_for(window.blocks * kMostBeats)}, correlate_kernel, window, pairs.data());
}

}  // namespace beatscan::quality
