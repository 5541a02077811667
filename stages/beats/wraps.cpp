#include "stages/beats/wraps.h"

#include <algorithm>
#include <cmath>

#include "kernels/lists/gather.h"
#include "stages/recording/windows.h"

namespace beatscan {
namespace {

constexpr double kWrap = 0.85, kMostBesideWrap = 0.3;  // of the range

// Returns some of the blocks that span nearly the whole range.
std::vector<std::int64_t> wide_blocks(const SignalQuality& quality, double range) {
  std::vector<std::int64_t> wide;
  for (std::int64_t b = 0; b < std::ssize(quality.extents); ++b)
    if (double{quality.extents[b].max} - quality.extents[b].min >= kWrap * range) wide.push_back(b);
  return some_of(wide, kMostWrapBlocks);
}

}  // namespace

template <class Context>
Wraps wraps_of(Context& context, const RecordedLead<Context>& lead, const SignalQuality& quality) {
  Wraps wraps;
  const double range = double{lead.range.max} - lead.range.min;
  const auto blocks = wide_blocks(quality, range);
  if (blocks.empty() || !(range > 0)) return wraps;
  std::vector<std::int64_t> starts;
  for (const std::int64_t b : blocks) starts.push_back(b * quality.block_samples - 1);
  const std::int64_t block = quality.block_samples, last_block = std::ssize(quality.extents) - 1;
  const auto windows = windows_of(context, lead.samples.span(), starts, block + block / 2 + 3);
  for (std::int64_t k = 0; k < std::ssize(blocks); ++k) {
    const auto x = windows.at(k).first(blocks[k] == last_block ? windows.length : block + 3);  // the last is longer
    for (std::size_t i = 1; i + 2 < x.size(); ++i) {
      const double jump = double{x[i + 1]} - x[i];
      if (std::abs(jump) < kWrap * range || std::abs(double{x[i]} - x[i - 1]) > kMostBesideWrap * range ||
          std::abs(double{x[i + 2]} - x[i + 1]) > kMostBesideWrap * range)
        continue;
      if (wraps.up + wraps.down == 0) wraps.first = starts[k] + static_cast<std::int64_t>(i);
      ++(jump > 0 ? wraps.up : wraps.down);
    }
  }
  return wraps;
}

#define BEATSCAN_WRAPS_OF(Context) \
  template Wraps wraps_of(Context&, const RecordedLead<Context>&, const SignalQuality&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_WRAPS_OF)

}  // namespace beatscan
