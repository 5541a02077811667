#include "kernels/quality/local_medians.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"

namespace beatscan::quality {
namespace {

float median_of(std::span<float> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  const float upper = *middle, lower = values.size() % 2 == 1 ? upper : *std::max_element(values.begin(), middle);
  return (lower + upper) * 0.5f;
}

}  // namespace

void local_medians(Cpu& cpu, std::span<const SampleFacts> samples, std::span<const BandFacts> bands,
                   std::span<LocalMedians> medians) {
  const std::int64_t blocks = std::ssize(samples);
  BEATSCAN_EXPECTS(samples.size() == bands.size() && std::ssize(medians) == median_groups(blocks),
                   "local_medians: bad shape");
  parallel_for(cpu, std::ssize(medians), 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t group = begin; group < end; ++group) {
      const std::int64_t first = first_near(group, blocks), last = std::min(first + kNearBlocks, blocks);
      std::array<float, kMedianFields> found{};
      for (int field = 0; field < kMedianFields; ++field) {
        std::array<float, kNearBlocks> near;
        int count = 0;
        for (std::int64_t b = first; b < last; ++b)
          if (const float value = field_of(samples[b], bands[b], field); !std::isnan(value)) near[count++] = value;
        found[field] = median_of(std::span(near).first(count));
      }
      medians[group] = {found[0], found[1], found[2], found[3]};
    }
  });
}

}  // namespace beatscan::quality
