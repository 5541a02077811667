#include "stages/beats/faint.h"

#include <algorithm>

#include "stages/common/robust.h"

namespace beatscan {
namespace {

constexpr double kFaint = 0.20;        // in usual levels
constexpr double kBlunt = 0.78;        // in usual sharpness over envelope
constexpr double kUsual = 0.5;         // least envelope of a usual candidate, in usual levels
constexpr std::size_t kFewUsual = 60;  // fewer usual candidates, about a minute of them, tell nothing
constexpr std::int64_t kSome = 4096;   // blocks, or candidates, that a median is taken of

struct CandidateShape {
  double envelope, sharpness;  // in usual levels; over the envelope
};

CandidateShape shape_of(const CandidateList& candidates, std::span<const float> height, std::int64_t i) {
  const auto block = std::min(candidates.at[i] / candidates.block, std::ssize(candidates.loudness) - 1);
  const double scale = candidates.scale.empty() ? 1 : candidates.scale[block], own = height[i];
  return {own * candidates.loudness[block], candidates.sharpness[i] / std::max(own * scale, 1e-30)};
}

// Returns the sharpness that is too blunt for a faint beat; 0 where too few usual candidates tell it.
double blunt_sharpness(const CandidateList& candidates, std::span<const float> height) {
  const auto count = std::ssize(height), last = std::ssize(candidates.loudness) - 1;
  std::vector<double> usual;
  for (std::int64_t i = 0; i < count; i += count / kSome + 1) {
    const CandidateShape its = shape_of(candidates, height, i);
    const bool is_noisy = candidates.noise[std::min(candidates.at[i] / candidates.block, last)] > 0;
    if (its.envelope >= kUsual && !is_noisy) usual.push_back(its.sharpness);
  }
  return usual.size() < kFewUsual ? 0 : kBlunt * quantile(usual, 0.5);
}

// Returns the waves that are faint and blunt, in blocks that are quiet.
std::vector<std::int64_t> waves_of(const CandidateList& candidates, std::span<const float> height) {
  std::vector<std::int64_t> waves;
  const double blunt = blunt_sharpness(candidates, height);
  if (blunt == 0) return waves;
  const auto blocks = std::ssize(candidates.loudness);
  for (std::int64_t b = 0; b < blocks; ++b) {
    if (candidates.loudness[b] >= kQuietLoudness) continue;
    const auto first = std::ranges::lower_bound(candidates.at, b * candidates.block);
    for (auto i = first - candidates.at.begin(); i < std::ssize(height); ++i) {
      if (b + 1 < blocks && candidates.at[i] >= (b + 1) * candidates.block) break;
      const CandidateShape its = shape_of(candidates, height, i);
      if (its.envelope < kFaint && its.sharpness < blunt) waves.push_back(i);
    }
  }
  return waves;
}

}  // namespace

std::vector<float> loudness_of(std::vector<float> levels) {
  std::vector<double> some;
  for (std::int64_t b = 0; b < std::ssize(levels); b += std::ssize(levels) / kSome + 1) some.push_back(levels[b]);
  const auto usual = static_cast<float>(quantile(some, 0.5));
  for (float& level : levels) level /= usual;
  return levels;
}

std::vector<std::int64_t> silence_faint(const CandidateList& candidates, double keep, std::span<float> height) {
  const auto waves = waves_of(candidates, height);
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
