#include "stages/quality/flat.h"

#include <algorithm>
#include <cmath>

#include "stages/common/robust.h"
#include "stages/quality/signal_quality.h"

namespace beatscan {
namespace {

double middle_of(const BlockExtent& block) { return 0.5 * block.min + 0.5 * block.max; }

// Collects the middles of blocks that are not flat, from `block` on in steps of `step`. Leaves out the first of them if
// there are others.
void add_middles(const SignalQuality& quality, std::int64_t block, int step, std::vector<double>& middles) {
  std::vector<double> found;
  for (; block >= 0 && block < std::ssize(quality.blocks) && std::ssize(found) <= kBaselineBlocks; block += step)
    if (quality.blocks[block] != Quality::flat) found.push_back(middle_of(quality.extents[block]));
  middles.insert(middles.end(), found.begin() + (found.size() > 1), found.end());
}

// Returns whether the flat blocks [first, last) differ from the baseline around them.
bool are_away(const SignalQuality& quality, std::int64_t first, std::int64_t last) {
  std::vector<double> middles;
  add_middles(quality, first - 1, -1, middles);
  add_middles(quality, last, 1, middles);
  if (middles.empty()) return true;
  const double baseline = quantile(middles, 0.5);
  const auto is_away = [&](std::int64_t block) {
    return std::abs(middle_of(quality.extents[block]) - baseline) > quality.usual_range;
  };
  return is_away(first) || is_away(last - 1);
}

}  // namespace

std::vector<Stretch> off_stretches(const SignalQuality& quality, std::int64_t last_samples, double longest_pause) {
  std::vector<Stretch> off;
  const std::int64_t blocks = std::ssize(quality.blocks), samples = (blocks - 1) * quality.block_samples + last_samples;
  for (std::int64_t first = 0; first < blocks; ++first) {
    if (quality.blocks[first] != Quality::flat) continue;
    std::int64_t last = first;
    while (last < blocks && quality.blocks[last] == Quality::flat) ++last;
    const Stretch stretch{first * quality.block_samples, last == blocks ? samples : last * quality.block_samples};
    if (static_cast<double>(stretch.size()) > longest_pause || are_away(quality, first, last)) off.push_back(stretch);
    first = last;
  }
  return off;
}

}  // namespace beatscan
