#include "stages/beats/slow_rhythm.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "kernels/runtime/parallel.h"
#include "kernels/signal/signal_part.h"
#include "stages/common/robust.h"

namespace beatscan {
namespace {

constexpr std::int64_t kWindowBlocks = 75;  // 2.5 minutes: 15 beats that are 10 s apart
constexpr float kHeightStep = 3.5f;         // a quiet maximum is no beat: detect.keep is about a third
constexpr double kBetween = 0.08;           // most maxima that are neither, as of beats at the end of a block
constexpr double kLeastBeatShare = 0.2, kMostBeatShare = 0.65;  // 6 to 19 beats a minute
constexpr std::int64_t kSomeBeats = 15;
constexpr std::int64_t kSomeRuns = 10;     // fewer runs without a beat tell nothing
constexpr double kRegular = 0.95;          // least share of the runs that are no longer than the median and a block
constexpr double kNoise = 1.5;             // envelope of noise at a maximum, over the rest of its block
constexpr double kMostSharper = 1.1;       // most sharpness of quiet maxima, over that of loud ones
constexpr double kStandsOutOfNoise = 4.5;  // least height of a maximum over the rest of its block; 12 in clear beats
constexpr double kShownBetween = 0.28;     // least height of beats that a lead hides, in another lead
constexpr double kShownStanding = 7;       // least height of such a beat over the rest of its block
constexpr double kClick = 0.95;            // sharpness of a click is above 1, and of most QRS complexes below 0.9
constexpr std::int64_t kBeside = 2;        // blocks on either side: a beat is there in 10 s

struct Heights {
  float quiet, loud;  // the greatest quiet maximum, and the least loud one
};

// Returns the two heights of a window's maxima; nothing where there are no two, or loud ones are not rare.
std::optional<Heights> two_heights(std::vector<float> maxima) {
  std::erase(maxima, 0.0f);
  const auto count = std::ssize(maxima);
  const auto share_of_them = [=](double share) {
    return static_cast<std::int64_t>(share * static_cast<double>(count));
  };
  const auto least = std::max(kSomeBeats, share_of_them(kLeastBeatShare)), most = share_of_them(kMostBeatShare);
  auto fewest = share_of_them(kBetween);
  const std::int64_t quiet_ones = count - most - fewest - 1;  // at least, less one
  if (count <= least || quiet_ones < 0) return {};
  const auto at = [&](std::int64_t place) { return maxima.begin() + place; };
  std::nth_element(at(0), at(quiet_ones), at(count));
  const float quiet_one = maxima[quiet_ones];
  std::nth_element(at(quiet_ones), at(count - least), at(count));
  if (maxima[count - least] <= kHeightStep * quiet_one) return {};  // nearly always
  std::ranges::sort(maxima);
  std::optional<Heights> found;
  for (std::int64_t quiet = 0, loud = 0; quiet < count - least; ++quiet) {
    while (loud < count && maxima[loud] <= kHeightStep * maxima[quiet]) ++loud;
    const std::int64_t between = loud - quiet - 1, beats = count - loud;
    if (beats < least || beats > most || between > fewest) continue;
    fewest = between;
    found = {maxima[quiet], maxima[loud]};
  }
  return found;
}

// Returns whether there are some runs of blocks without a beat, few of which are longer than most.
bool is_regular(std::span<const float> maxima, double beat) {
  std::vector<double> runs;
  std::int64_t last = -1;
  for (std::int64_t b = 0; b < std::ssize(maxima); ++b) {
    if (maxima[b] < beat) continue;
    if (last >= 0 && b > last + 1) runs.push_back(static_cast<double>(b - last - 1));
    last = b;
  }
  if (std::ssize(runs) < kSomeRuns) return false;
  const double middle = quantile(runs, 0.5);
  const auto even = std::ranges::count_if(runs, [=](double run) { return run <= middle + 1; });
  return static_cast<double>(even) >= kRegular * static_cast<double>(runs.size());
}

// Returns the median over the blocks whose maximum lies within limits.
double median_within(std::span<const float> maxima, float least, float most, std::span<const double> values) {
  std::vector<double> found;
  for (std::size_t b = 0; b < maxima.size(); ++b)
    if (maxima[b] > 0 && maxima[b] >= least && maxima[b] <= most) found.push_back(values[b]);
  return quantile(found, 0.5);
}

// Two properties of the blocks' maxima.
struct Shapes {
  std::vector<double> sharpness;  // [B] in the second band over the first, without noise
  std::vector<double> standing;   // [B] over the rest of the block
};

// Returns a maximum without the noise below it, whose envelope is kNoise times the rest.
double without_noise(double maximum, double rest) {
  const double noise = kNoise * rest;
  return std::sqrt(std::max(maximum * maximum - noise * noise, 0.0));
}

Shapes shapes_of(std::span<const float> maxima, const BlockDetails& details) {
  Shapes found;
  for (std::size_t b = 0; b < maxima.size(); ++b) {
    found.sharpness.push_back(without_noise(details.sharp[b], details.sharp_rest[b]) /
                              std::max(without_noise(maxima[b], details.rest[b]), 1e-30));
    found.standing.push_back(maxima[b] / std::max<double>(details.rest[b], 1e-30));
  }
  return found;
}

template <class Value>
std::span<const Value> part_in(std::span<const Value> values, Stretch window) {
  return values.subspan(static_cast<std::size_t>(window.first), static_cast<std::size_t>(window.size()));
}

// Returns whether the quiet maxima of a window are no beats, and the loud ones no clicks.
bool are_beats_alone(std::span<const float> maxima, const Heights& heights, const Shapes& shapes, Stretch window) {
  constexpr float kAny = std::numeric_limits<float>::max();
  const auto sharpness = part_in<double>(shapes.sharpness, window), standing = part_in<double>(shapes.standing, window);
  const double loud = median_within(maxima, heights.loud, kAny, sharpness);
  return loud < kClick && (median_within(maxima, 0, heights.quiet, sharpness) < kMostSharper * loud ||
                           median_within(maxima, 0, heights.quiet, standing) < kStandsOutOfNoise);
}

// Returns the two heights of the maxima in each window.
std::vector<std::optional<Heights>> heights_in(std::span<const float> maxima, const std::vector<Stretch>& windows) {
  constexpr std::int64_t kGrain = 64;  // the fewest windows that are worth a thread
  std::vector<std::optional<Heights>> heights(windows.size());
  parallel_for(Cpu(), std::ssize(windows), kGrain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t w = first; w < last; ++w) {
      const auto its = part_in(maxima, windows[w]);
      heights[w] = two_heights({its.begin(), its.end()});
    }
  });
  return heights;
}

// Returns the windows of B blocks; the last one ends with the last block.
std::vector<Stretch> windows_of(std::int64_t blocks) {
  std::vector<Stretch> windows;
  std::int64_t first = 0;
  for (; first + kWindowBlocks < blocks; first += kWindowBlocks / 2) windows.push_back({first, first + kWindowBlocks});
  const std::int64_t last_first = std::max<std::int64_t>(blocks - kWindowBlocks, 0);
  windows.push_back({last_first, blocks});
  return windows;
}

}  // namespace

std::vector<std::uint8_t> slow_blocks(std::span<const float> maxima, const std::function<BlockDetails()>& details) {
  std::vector<std::uint8_t> slow;
  std::optional<Shapes> shapes;
  const auto windows = windows_of(std::ssize(maxima));
  const auto heights = heights_in(maxima, windows);
  for (std::size_t w = 0; w < windows.size(); ++w) {
    const Stretch window = windows[w];
    const auto its = part_in(maxima, window);
    if (!heights[w] ||
        !is_regular(its, std::sqrt(heights[w]->quiet) * std::sqrt(static_cast<double>(heights[w]->loud))))
      continue;
    if (!shapes) shapes = shapes_of(maxima, details());
    if (!are_beats_alone(its, *heights[w], *shapes, window)) continue;
    slow.resize(maxima.size());
    std::fill(slow.begin() + window.first, slow.begin() + window.last, 1);
  }
  return slow;
}

bool shows_beats_between(std::span<const float> maxima, std::span<const float> rest, std::span<const float> of_slow,
                         std::span<const std::uint8_t> slow) {
  std::vector<double> all, beside, between, standing;
  for (std::size_t b = 0; b < slow.size(); ++b)
    if (slow[b] && of_slow[b] > 0) all.push_back(of_slow[b]);
  if (all.empty()) return false;
  const double beat = quantile(all, 0.9) / std::sqrt(kHeightStep);
  for (std::size_t b = 0; b < slow.size(); ++b) {
    if (!slow[b] || maxima[b] <= 0 || of_slow[b] <= 0) continue;
    if (of_slow[b] >= beat) {
      beside.push_back(maxima[b]);
    } else {
      between.push_back(maxima[b]);
      standing.push_back(maxima[b] / std::max<double>(rest[b], 1e-30));
    }
  }
  return !beside.empty() && !between.empty() && quantile(between, 0.5) >= kShownBetween * quantile(beside, 0.5) &&
         quantile(standing, 0.5) >= kShownStanding;
}

std::vector<float> with_beats_beside(std::span<const float> maxima, std::span<const std::uint8_t> slow) {
  std::vector<float> found(maxima.begin(), maxima.end());
  for (std::int64_t b = 0; b < std::ssize(maxima); ++b) {
    if (!slow[b] || maxima[b] == 0) continue;
    const auto first = std::max<std::int64_t>(b - kBeside, 0), last = std::min(b + kBeside + 1, std::ssize(maxima));
    found[b] = *std::max_element(maxima.begin() + first, maxima.begin() + last);
  }
  return found;
}

}  // namespace beatscan
