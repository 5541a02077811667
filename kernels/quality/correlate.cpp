#include "kernels/quality/beats.h"
#include "kernels/quality/correlate_common.h"
#include "kernels/runtime/parallel.h"

namespace beatscan::quality {
namespace {

struct CorrelateBody {
  template <int>
  BEATSCAN_INLINE static void run(const WindowBeats& window, std::int64_t first, std::int64_t last, float* pairs) {
    for (std::int64_t beat = first; beat < last; ++beat) correlate_beat(window, beat, pairs);
  }
};

}  // namespace

void correlate(Cpu& cpu, const WindowBeats& window, std::span<float> pairs) {
  const std::int64_t first = window.first_beat[0], end = window.first_beat[window.blocks];
  parallel_for(cpu, end - first, 64, [&](std::int64_t begin, std::int64_t last) {
    OnProcessor<CorrelateBody>::run<const WindowBeats&>(window, first + begin, first + last, pairs.data());
  });
}

}  // namespace beatscan::quality
