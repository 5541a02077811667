#include "tests/kernels/waves/made_masks.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "kernels/waves/beat_waves.h"

namespace beatscan::waves {
namespace {

std::vector<double> as_doubles(const float* mask) { return {mask, mask + kValues}; }

// Returns onset and offset of the heaviest run, less 125.
std::pair<float, float> heaviest(const std::vector<double>& p, int low, int high, int gap, int least) {
  const auto runs = plain_runs(p, low, high, 0.5, gap, least);
  if (runs.empty()) return {NAN, NAN};
  const auto heaviest = std::ranges::max_element(runs, {}, &PlainRun::weight);
  const auto [onset, offset] = plain_crossings(p, *heaviest, 0.5);
  return {static_cast<float>(onset - kRValue), static_cast<float>(offset - kRValue)};
}

std::pair<int, int> p_range_of(const float* own, const float* previous, double before) {
  double low = before < kRValue ? std::max(0.0, std::floor(kRValue - before + 25)) : 0;
  if (previous && !std::isnan(previous[kTOffset]))
    low = std::max(low, std::floor(previous[kTOffset] + 125 - before) + 1);
  const double onset = std::isnan(own[kQrsOnset]) ? 117 : std::floor(own[kQrsOnset] + 125);
  return {static_cast<int>(low), static_cast<int>(onset) + 2};
}

}  // namespace

std::vector<PlainRun> plain_runs(const std::vector<double>& p, int low, int high, double threshold, int gap,
                                 int least) {
  std::vector<PlainRun> runs, kept;
  for (int k = std::max(low, 0); k < std::min(high, static_cast<int>(p.size())); ++k) {
    if (p[k] < threshold) continue;
    if (!runs.empty() && k - runs.back().last - 1 <= gap)
      runs.back().last = k;
    else
      runs.push_back({k, k, 0});
  }
  for (PlainRun run : runs) {
    for (int k = run.first; k <= run.last; ++k) run.weight += p[k];
    if (run.last - run.first + 1 >= least) kept.push_back(run);
  }
  return kept;
}

std::pair<double, double> plain_crossings(const std::vector<double>& p, const PlainRun& run, double threshold) {
  const auto at = [&](int inner, int outer) -> double {
    if (outer < 0 || outer >= std::ssize(p) || p[outer] >= threshold) return inner;
    return outer + (inner - outer) * (threshold - p[outer]) / (p[inner] - p[outer]);
  };
  return {at(run.first, run.first - 1), at(run.last, run.last + 1)};
}

MadeMasks::MadeMasks(const std::vector<double>& after_beat) : masks(after_beat.size() * kMasks * kValues) {
  for (std::size_t b = 0; b < after_beat.size(); ++b) {
    before.push_back(b == 0 ? kFar : after_beat[b - 1]);
    after.push_back(b + 1 == after_beat.size() ? kFar : after_beat[b]);
  }
}

MadeMasks MadeMasks::random(int beats, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<double> rr;
  for (int b = 0; b < beats; ++b) rr.push_back(60 + 240 * uniform(random) + (b % 9 == 0 ? 600 * uniform(random) : 0));
  MadeMasks made(rr);
  for (int b = 0; b < beats; ++b)
    for (int which = 0; which < kMasks; ++which) {
      const double centres[] = {320 * uniform(random), which == 0 ? 80.0 : which == 1 ? 125.0 : 210.0};
      const double width = 4 + 14 * uniform(random), height = 0.4 + 0.7 * uniform(random);
      for (int k = 0; k < kValues; ++k) {
        double value = 0.08 * uniform(random);
        for (const double centre : centres) value += height * std::exp(-0.5 * std::pow((k - centre) / width, 2));
        made.mask(b, which)[k] = static_cast<float>(std::min(value, 1.0));
      }
    }
  return made;
}

void MadeMasks::set(std::int64_t beat, int which, int first, int last, float value) {
  std::fill(mask(beat, which) + first, mask(beat, which) + last, value);
}

std::vector<float> MadeMasks::of(std::int64_t first, std::int64_t count) const {
  return {masks.begin() + first * kMasks * kValues, masks.begin() + (first + count) * kMasks * kValues};
}

std::vector<float> MadeMasks::expected_fiducials() const {
  std::vector<float> all(beats() * kFiducials, NAN);
  for (std::int64_t b = 0; b < beats(); ++b) {
    float* own = all.data() + b * kFiducials;
    std::tie(own[kQrsOnset], own[kQrsOffset]) = heaviest(as_doubles(mask(b, kMaskQrs)), 100, 155, 3, 1);
    if (!std::isnan(own[kQrsOnset])) own[kRPeak] = 0;
    const int low = std::isnan(own[kQrsOffset]) ? 138 : static_cast<int>(std::floor(own[kQrsOffset] + 125.0)) + 1;
    const int high = static_cast<int>(std::min(320.0, std::floor(125 + after[b] - 8)));
    std::tie(own[kTOnset], own[kTOffset]) = heaviest(as_doubles(mask(b, kMaskT)), low, high, 3, 8);
    const auto range = p_range_of(own, b > 0 ? own - kFiducials : nullptr, before[b]);
    std::tie(own[kPOnset], own[kPOffset]) = heaviest(as_doubles(mask(b, kMaskP)), range.first, range.second, 2, 5);
    own[kPPeak] = (own[kPOnset] + own[kPOffset]) / 2;
  }
  return all;
}

std::vector<float> MadeMasks::expected_evidence(const std::vector<float>& fiducials) const {
  std::vector<float> evidence;
  for (std::int64_t b = 0; b < beats(); ++b) {
    const float* own = fiducials.data() + b * kFiducials;
    const auto [low, high] = p_range_of(own, b > 0 ? own - kFiducials : nullptr, before[b]);
    double greatest = 0;
    for (int k = low; k + 5 <= high; ++k) {
      double mean = 0;
      for (int j = 0; j < 5; ++j) mean += mask(b, kMaskP)[k + j] / 5.0;
      greatest = std::max(greatest, mean);
    }
    evidence.push_back(static_cast<float>(greatest));
  }
  return evidence;
}

}  // namespace beatscan::waves
