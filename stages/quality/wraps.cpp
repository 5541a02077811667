#include "stages/quality/wraps.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "kernels/lists/gather.h"
#include "stages/quality/signal_quality.h"
#include "stages/recording/recording.h"
#include "stages/recording/windows.h"

namespace beatscan {
namespace {

constexpr double kWrap = 0.85, kMostBesideWrap = 0.3;  // of the range
constexpr double kSpike_s = 0.010;                     // a jump back within this time is the end of a spike

// Returns some of the blocks that span nearly the whole range.
std::vector<std::int64_t> wide_blocks(const SignalQuality& quality, double range) {
  std::vector<std::int64_t> wide;
  for (std::int64_t b = 0; b < std::ssize(quality.extents); ++b)
    if (double{quality.extents[b].max} - quality.extents[b].min >= kWrap * range) wide.push_back(b);
  return some_of(wide, kMostWrapBlocks);
}

struct Jump {
  std::int64_t at = 0;  // the sample before it
  bool up = false;
};

std::vector<Jump> jumps_in(std::span<const float> x, double range) {
  std::vector<Jump> jumps;
  for (std::int64_t i = 1; i + 2 < std::ssize(x); ++i) {
    const double jump = double{x[i + 1]} - x[i];
    if (std::abs(jump) >= kWrap * range && std::abs(double{x[i]} - x[i - 1]) <= kMostBesideWrap * range &&
        std::abs(double{x[i + 2]} - x[i + 1]) <= kMostBesideWrap * range)
      jumps.push_back({i, jump > 0});
  }
  return jumps;
}

// Says whether jump k and one beside it are the edges of a spike.
bool is_of_spike(const std::vector<Jump>& jumps, std::size_t k, std::int64_t longest) {
  const auto pair = [&](std::size_t i) {
    return jumps[i].up != jumps[i + 1].up && jumps[i + 1].at - jumps[i].at <= longest;
  };
  return (k > 0 && pair(k - 1)) || (k + 1 < jumps.size() && pair(k));
}

}  // namespace

template <class Context>
Wraps wraps_of(Context& context, const RecordedLead<Context>& lead, const SignalQuality& quality,
               double sample_rate_hz) {
  Wraps wraps;
  const double range = double{lead.range.max} - lead.range.min;
  const auto blocks = wide_blocks(quality, range);
  if (blocks.empty() || !(range > 0)) return wraps;
  const auto longest = static_cast<std::int64_t>(kSpike_s * sample_rate_hz);
  const std::int64_t block = quality.block_samples, last_block = std::ssize(quality.extents) - 1, margin = longest + 2;
  std::vector<std::int64_t> starts;
  for (const std::int64_t b : blocks) starts.push_back(b * block - margin);
  const std::int64_t length = block + block / 2;  // the last block is longer
  const auto windows = windows_of(context, lead.samples.span(), starts, length + 2 * margin);
  for (std::int64_t k = 0; k < std::ssize(blocks); ++k) {
    const std::int64_t end = margin + (blocks[k] == last_block ? length : block);
    const auto x = windows.at(k).first(end + margin);
    const auto jumps = jumps_in(x, range);
    for (std::size_t j = 0; j < jumps.size(); ++j) {
      if (jumps[j].at < margin || jumps[j].at >= end || is_of_spike(jumps, j, longest)) continue;
      if (wraps.up + wraps.down == 0) wraps.first = starts[k] + jumps[j].at;
      ++(jumps[j].up ? wraps.up : wraps.down);
    }
  }
  return wraps;
}

#define BEATSCAN_WRAPS_OF(Context) \
  template Wraps wraps_of(Context&, const RecordedLead<Context>&, const SignalQuality&, double);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_WRAPS_OF)

}  // namespace beatscan
