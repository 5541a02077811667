#include "stages/beats/faint.h"

#include <algorithm>

#include "stages/common/robust.h"

namespace beatscan {
namespace {

constexpr double kFaint = 0.20;        // in usual levels
constexpr double kBlunt = 0.78;        // in usual sharpness over envelope
constexpr double kUsual = 0.5;         // least envelope of a usual candidate, in usual levels
constexpr double kQuiet = 0.45;        // loudness of a block in which a faint candidate may be as high as a beat
constexpr std::size_t kFewUsual = 60;  // fewer usual candidates, about a minute of them, tell nothing
constexpr std::int64_t kNear = 8;      // candidates on either side that are within a block
constexpr std::size_t kSome = 4096;    // blocks, or candidates, that a median is taken of

template <class Value>
double median_of_some(std::size_t count, Value value) {
  std::vector<double> some;
  for (std::size_t i = 0; i < count; i += count / kSome + 1) some.push_back(value(i));
  return quantile(some, 0.5);
}

struct CandidateShape {
  double envelope, sharpness;  // in usual levels; over the envelope
  bool noisy;
};

std::vector<CandidateShape> shapes_of(const CandidateList& candidates, std::span<const float> height) {
  const auto last = std::ssize(candidates.loudness) - 1;
  std::vector<CandidateShape> shapes;
  for (std::size_t i = 0; i < height.size(); ++i) {
    const auto block = std::min(candidates.at[i] / candidates.block, last);
    const double scale = candidates.scale.empty() ? 1 : candidates.scale[block], own = height[i];
    shapes.push_back({own * candidates.loudness[block], candidates.sharpness[i] / std::max(own * scale, 1e-30),
                      candidates.noise[block] > 0});
  }
  return shapes;
}

}  // namespace

std::vector<float> loudness_of(std::vector<float> levels) {
  const auto usual = static_cast<float>(median_of_some(levels.size(), [&](std::size_t i) { return levels[i]; }));
  for (float& level : levels) level /= usual;
  if (std::ranges::none_of(levels, [](float loudness) { return loudness < kQuiet; })) return {};
  return levels;
}

void silence_faint(const CandidateList& candidates, std::span<float> height) {
  const auto shapes = shapes_of(candidates, height);
  std::vector<double> usual;
  for (const CandidateShape& its : shapes)
    if (its.envelope >= kUsual && !its.noisy) usual.push_back(its.sharpness);
  if (usual.size() < kFewUsual) return;
  const double least = kBlunt * median_of_some(usual.size(), [&](std::size_t i) { return usual[i]; });
  const auto is_wave = [&](const CandidateShape& its) { return its.envelope < kFaint && its.sharpness < least; };
  const auto count = std::ssize(shapes);
  const auto is_below_wave = [&](std::int64_t i, std::int64_t j) {
    return std::abs(candidates.at[i] - candidates.at[j]) <= candidates.block && is_wave(shapes[j]) &&
           shapes[i].envelope <= shapes[j].envelope;
  };
  for (std::int64_t i = 0; i < count; ++i) {
    bool is_silent = false;
    for (std::int64_t j = std::max<std::int64_t>(i - kNear, 0); j < std::min(i + kNear + 1, count); ++j)
      is_silent |= is_below_wave(i, j);
    if (is_silent) height[i] = 0;
  }
}

}  // namespace beatscan
