#include "stages/beats/faint.h"

#include <algorithm>

#include "kernels/signal/signal_part.h"
#include "stages/common/robust.h"

namespace beatscan {
namespace {

constexpr double kFaint = 0.20;         // in usual levels
constexpr double kBlunt = 0.78;         // in usual sharpness over envelope
constexpr double kUsual = 0.5;          // least envelope of a usual candidate, in usual levels
constexpr std::size_t kFewUsual = 20;   // fewer usual candidates tell nothing
constexpr std::size_t kManyUsual = 60;  // usual candidates, about a minute of them, that are sure
constexpr double kMostlyBlunt = 0.8;    // least share of the faint candidates of a stretch where nothing is sure
constexpr double kStep = 2.5;           // least step from a quiet level to a loud one
constexpr std::int64_t kFewLoud = 5;    // fewer loud blocks, about 10 s of them, tell nothing
constexpr double kLeastLoud = 0.05;     // a smaller share of loud blocks tells nothing: a movement may be as loud
constexpr std::int64_t kSome = 4096;    // blocks, or candidates, that a median is taken of

struct CandidateShape {
  double envelope, sharpness;  // in usual levels; over the envelope
};

CandidateShape shape_of(const CandidateList& candidates, std::span<const float> height, std::int64_t i) {
  const auto block = std::min(candidates.at[i] / candidates.block, std::ssize(candidates.loudness) - 1);
  const double scale = candidates.scale.empty() ? 1 : candidates.scale[block], own = height[i];
  return {own * candidates.loudness[block], candidates.sharpness[i] / std::max(own * scale, 1e-30)};
}

// Describes the usual candidates.
struct UsualShape {
  std::size_t count;  // usual candidates, estimated where not all were looked at
  double blunt;       // sharpness that is too blunt for a faint beat; 0 where there are no usual candidates
  bool is_sure;       // whether there are many usual candidates, and fewer than half of the blocks are quiet
};

UsualShape usual_shape(const CandidateList& candidates, std::span<const float> height) {
  const auto count = std::ssize(height), blocks = std::ssize(candidates.loudness);
  const std::int64_t stride = count / kSome + 1;
  std::vector<double> usual;
  for (std::int64_t i = 0; i < count; i += stride) {
    const CandidateShape its = shape_of(candidates, height, i);
    const bool is_noisy = candidates.noise[std::min(candidates.at[i] / candidates.block, blocks - 1)] > 0;
    if (its.envelope >= kUsual && !is_noisy) usual.push_back(its.sharpness);
  }
  const auto quiet = std::ranges::count_if(candidates.loudness, [](float its) { return its < kQuietLoudness; });
  const std::size_t all = usual.size() * static_cast<std::size_t>(stride);
  return {all, usual.empty() ? 0 : kBlunt * quantile(usual, 0.5), all >= kManyUsual && 2 * quiet + 1 < blocks};
}

// Returns the first candidate at or after the block's beginning.
std::int64_t first_in(const CandidateList& candidates, std::int64_t block) {
  return std::ranges::lower_bound(candidates.at, block * candidates.block) - candidates.at.begin();
}

// Returns the stretches of blocks that are quiet.
std::vector<Stretch> quiet_stretches(std::span<const float> loudness) {
  std::vector<Stretch> found;
  for (std::int64_t first = 0, last = 0; first < std::ssize(loudness); first = last + 1) {
    for (last = first; last < std::ssize(loudness) && loudness[last] < kQuietLoudness;) ++last;
    if (last > first) found.push_back({first, last});
  }
  return found;
}

// Returns the candidates of a stretch of blocks.
Stretch candidates_in(const CandidateList& candidates, Stretch blocks) {
  const bool is_last = blocks.last == std::ssize(candidates.loudness);
  return {first_in(candidates, blocks.first), is_last ? std::ssize(candidates.at) : first_in(candidates, blocks.last)};
}

// Adds the waves of a quiet stretch: candidates that are faint and blunt. Where what is usual is not sure, most of
// those that are faint and as high as beats have to be blunt.
void add_waves(const CandidateList& candidates, double keep, std::span<const float> height, const UsualShape& usual,
               Stretch stretch, std::vector<std::int64_t>& waves) {
  std::vector<std::int64_t> found;
  std::int64_t high = 0, high_and_blunt = 0;
  for (auto i = stretch.first; i < stretch.last; ++i) {
    const CandidateShape its = shape_of(candidates, height, i);
    if (its.envelope >= kFaint) continue;
    const bool is_blunt = its.sharpness < usual.blunt;
    if (is_blunt) found.push_back(i);
    if (height[i] >= keep) ++high, high_and_blunt += is_blunt;
  }
  if (usual.is_sure || static_cast<double>(high_and_blunt) >= kMostlyBlunt * static_cast<double>(high))
    waves.insert(waves.end(), found.begin(), found.end());
}

// Returns the waves that are faint and blunt, in stretches that are quiet.
std::vector<std::int64_t> waves_of(const CandidateList& candidates, double keep, std::span<const float> height) {
  std::vector<std::int64_t> waves;
  const UsualShape usual = usual_shape(candidates, height);
  if (usual.count < kFewUsual) return waves;
  for (const Stretch blocks : quiet_stretches(candidates.loudness))
    add_waves(candidates, keep, height, usual, candidates_in(candidates, blocks), waves);
  return waves;
}

// Returns the median of the levels, or that of the loud ones where the largest step parts them from a quiet half.
double usual_level(std::vector<double> levels) {
  const std::int64_t count = std::ssize(levels), half = std::max<std::int64_t>(count / 2, 1),
                     most =
                         count - std::max(kFewLoud, static_cast<std::int64_t>(kLeastLoud * static_cast<double>(count)));
  const auto nth = [&](std::int64_t place) { return nth_value<double>(levels, static_cast<std::size_t>(place)); };
  if (most < half || nth(most) < kStep * nth(half - 1)) return quantile(levels, 0.5);
  std::ranges::sort(levels);
  std::int64_t loud = 0;
  double largest = kStep;
  for (std::int64_t i = half; i <= most; ++i) {
    const double step = levels[i] / levels[i - 1];
    if (step >= largest) largest = step, loud = i;
  }
  return quantile(std::span(levels).subspan(loud), 0.5);
}

}  // namespace

std::vector<float> loudness_of(std::vector<float> levels) {
  std::vector<double> some;
  for (std::int64_t b = 0; b < std::ssize(levels); b += std::ssize(levels) / kSome + 1) some.push_back(levels[b]);
  const auto usual = static_cast<float>(usual_level(std::move(some)));
  for (float& level : levels) level /= usual;
  return levels;
}

std::vector<std::int64_t> silence_faint(const CandidateList& candidates, double keep, std::span<float> height) {
  const auto waves = waves_of(candidates, keep, height);
  std::vector<std::int64_t> silent;
  for (const std::int64_t wave : waves) {
    const double envelope = shape_of(candidates, height, wave).envelope;
    const auto is_near = [&](std::int64_t i) {
      return i >= 0 && i < std::ssize(height) && std::abs(candidates.at[i] - candidates.at[wave]) <= candidates.block;
    };
    for (const std::int64_t step : {-1, 1})
      for (std::int64_t i = wave + (step > 0 ? 0 : step); is_near(i); i += step)
        if (shape_of(candidates, height, i).envelope <= envelope) silent.push_back(i);
  }
  std::vector<std::int64_t> left_out;
  std::sort(silent.begin(), silent.end());
  silent.erase(std::unique(silent.begin(), silent.end()), silent.end());
  for (const std::int64_t i : silent) {
    if (height[i] >= keep) left_out.push_back(candidates.at[i]);
    height[i] = 0;
  }
  return left_out;
}

}  // namespace beatscan
