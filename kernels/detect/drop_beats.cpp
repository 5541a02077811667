#include "kernels/detect/drop_beats.h"

#include <cmath>

#include "kernels/lists/local_quantiles.h"
#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

constexpr int kNeighbours = 4;              // candidates on either side that are examined
constexpr double kAlone = -3, kMost = 1.5;  // ln h of a missing neighbour; limit of d

BEATSCAN_HOST_DEVICE inline double log_height(float height) { return log(height > 1e-6f ? height : 1e-6f); }

// Item i is a candidate.
struct DropBeats {
  const std::int64_t* at;
  const float* height;
  std::int64_t count;  // C
  const float* noise;
  std::int64_t blocks;
  int block;
  double second;
  const std::uint32_t* found;
  const std::int64_t* kept;
  std::int64_t kept_count;  // K
  const double* usual;
  std::uint32_t* beats;
  float* dropped;

  // Returns the reference RR of the gap between beats that the candidate lies in, or of the nearest gap.
  BEATSCAN_HOST_DEVICE double usual_around(std::int64_t i) const {
    std::int64_t gap = first_not_below(kept, kept_count, i + 1) - 1;
    gap = gap < 0 ? 0 : gap > kept_count - 2 ? kept_count - 2 : gap;
    return usual[2 * gap];
  }
  BEATSCAN_HOST_DEVICE double above_neighbours(std::int64_t i, double own, double within) const {
    double best = kAlone;
    for (std::int64_t j = i - kNeighbours; j <= i + kNeighbours; ++j) {
      if (j < 0 || j >= count || j == i) continue;
      const auto apart = static_cast<double>(j < i ? at[i] - at[j] : at[j] - at[i]);
      const double other = log_height(height[j]);
      if (apart <= within && other > best) best = other;
    }
    const double above = own - best;
    return above < -kMost ? -kMost : above > kMost ? kMost : above;
  }
  BEATSCAN_HOST_DEVICE bool stays(std::int64_t i) const {
    const std::int64_t its = at[i] / block;
    const double share = noise[its < blocks ? its : blocks - 1];
    if (!(share > 0)) return true;
    const double own = log_height(height[i]), rr = usual_around(i);
    const double near = 0.6 * rr < 0.8 * second ? 0.6 * rr : 0.8 * second,
                 far = 0.9 * rr < 1.2 * second ? 0.9 * rr : 1.2 * second;
    const double z = own + 0.75 * above_neighbours(i, own, near) + 0.9 * above_neighbours(i, own, far) + 0.65;
    return z > -(1 - share) / share;
  }
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    dropped[i] = 0;
    if ((found[i / 32] >> (i % 32) & 1) == 0) return;
    if (stays(i))
      set_bit(beats, i);
    else
      dropped[i] = height[i];
  }
};

}  // namespace

void beat_intervals(BackEnd& context, std::span<const std::int64_t> at, std::span<const std::int64_t> kept,
                    std::span<double> intervals, std::span<std::int64_t> indices) {
  BEATSCAN_EXPECTS(
      kept.size() == intervals.size() + 1 && indices.size() == intervals.size() && kept.size() <= at.size(),
      "beat_intervals: bad shape");
  each(context, std::ssize(intervals),
       [at = at.data(), kept = kept.data(), intervals = intervals.data(),
        indices = indices.data()] BEATSCAN_DEVICE(std::int64_t i) {
         intervals[i] = static_cast<double>(at[kept[i + 1]] - at[kept[i]]);
         indices[i] = i;
       });
}

void drop_beats(BackEnd& context, const DropInput& input, std::span<std::uint32_t> beats, std::span<float> dropped) {
  const auto& c = input.candidates;
  const std::int64_t count = std::ssize(c.at), kept = std::ssize(input.kept);
  BEATSCAN_EXPECTS(std::ssize(c.height) == count && std::ssize(dropped) == count && !input.noise.empty() &&
                       std::ssize(beats) == words_for(count) && input.found.size() == beats.size() && kept >= 2 &&
                       std::ssize(input.reference_rr) == 2 * (kept - 1) && input.block > 0,
                   "drop_beats: bad shape");
  zero_bytes(context, beats.data(), beats.size_bytes());
  each(context, count,
       DropBeats{c.at.data(), c.height.data(), count, input.noise.data(), std::ssize(input.noise), input.block,
                 input.second, input.found.data(), input.kept.data(), kept, input.reference_rr.data(), beats.data(),
                 dropped.data()});
}

}  // namespace beatscan
