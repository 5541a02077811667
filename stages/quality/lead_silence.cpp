#include "stages/quality/lead_silence.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/lists/bits.h"
#include "kernels/lists/gather.h"
#include "kernels/signal/parts.h"
#include "stages/common/robust.h"
#include "stages/quality/quality.h"

namespace beatscan {
namespace {

constexpr std::int64_t kFewestDropped = 5;  // samples at one value; at a low rate fewer are common by chance

template <class Context>
Buffer<std::uint32_t, Context> empty_set(Context& context, std::int64_t samples) {
  Buffer<std::uint32_t, Context> words(context, words_for(samples));
  zero_bytes(context, words.data(), words.size() * sizeof(std::uint32_t));
  return words;
}

// Returns the gaps of both lists in order. Those that touch or overlap are one.
GapList both_lists(const GapList& a, const GapList& b) {
  GapList all;
  for (std::size_t i = 0, j = 0; i < a.firsts.size() || j < b.firsts.size();) {
    const bool from_a = j == b.firsts.size() || (i < a.firsts.size() && a.firsts[i] <= b.firsts[j]);
    const std::int64_t first = from_a ? a.firsts[i] : b.firsts[j], last = from_a ? a.lasts[i] : b.lasts[j];
    ++(from_a ? i : j);
    if (!all.lasts.empty() && first <= all.lasts.back() + 1) {
      all.lasts.back() = std::max(all.lasts.back(), last);
    } else {
      all.firsts.push_back(first);
      all.lasts.push_back(last);
    }
  }
  return all;
}

// Returns at most kMostSampled samples that are in none of the stretches, evenly spread over the others.
template <class Context>
std::vector<double> moving_samples(Context& context, std::span<const float> samples, const GapList& still) {
  const std::int64_t n = std::ssize(samples), step = n / static_cast<std::int64_t>(kMostSampled) + 1;
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i < n; i += step) {
    const auto next = std::ranges::lower_bound(still.lasts, i) - still.lasts.begin();
    if (next == std::ssize(still.firsts) || still.firsts[next] > i) places.push_back(i);
  }
  Buffer<float, Context> chosen(context, std::ssize(places));
  gather<float>(context, samples, from_host(context, places), chosen);
  const auto values = to_host(context, chosen);
  return {values.begin(), values.end()};
}

// The middle 98 % of samples that move.
struct MiddleRange {
  double low = 0, high = 0;
  double size() const { return high - low; }
  bool is_far(double value) const { return value < low - 0.5 * size() || value > high + 0.5 * size(); }
  bool holds(double value) const { return value >= low && value <= high; }
};

// Returns the stretches of at least `least` samples if `longer`, and else the shorter ones.
GapList stretches_of(const GapList& all, std::int64_t least, bool longer) {
  GapList some;
  for (std::size_t i = 0; i < all.firsts.size(); ++i)
    if ((all.lasts[i] - all.firsts[i] + 1 >= least) == longer) {
      some.firsts.push_back(all.firsts[i]);
      some.lasts.push_back(all.lasts[i]);
    }
  return some;
}

// Returns samples of the recording, those before its start and beyond its end as NaN.
template <class Context>
std::vector<float> samples_at(Context& context, std::span<const float> samples, std::vector<std::int64_t> places) {
  std::vector<std::uint8_t> outside(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    outside[i] = places[i] < 0 || places[i] >= std::ssize(samples);
    if (outside[i]) places[i] = 0;
  }
  Buffer<float, Context> chosen(context, std::ssize(places));
  gather<float>(context, samples, from_host(context, places), chosen);
  auto values = to_host(context, chosen);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (outside[i]) values[i] = std::numeric_limits<float>::quiet_NaN();
  return values;
}

// Returns the stretches whose value is far beyond the middle range.
template <class Context>
GapList far_stretches(Context& context, std::span<const float> samples, const GapList& still,
                      const MiddleRange& middle) {
  const auto values = samples_at(context, samples, still.firsts);
  GapList far;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (middle.is_far(values[i])) {
      far.firsts.push_back(still.firsts[i]);
      far.lasts.push_back(still.lasts[i]);
    }
  return far;
}

// Returns the stretches between a jump to their value and a jump back. A stretch between the middle range and the far
// values may be a wave that is cut off at an end of the amplifier's range.
template <class Context>
GapList drop_outs_of(Context& context, std::span<const float> samples, const GapList& brief,
                     const MiddleRange& middle) {
  constexpr double kJump = 0.1;  // of the middle range, from one sample to the next
  std::vector<std::int64_t> before, behind;
  for (std::size_t i = 0; i < brief.firsts.size(); ++i) {
    before.push_back(brief.firsts[i] - 1);
    behind.push_back(brief.lasts[i] + 1);
  }
  const auto own = samples_at(context, samples, brief.firsts), from = samples_at(context, samples, before),
             to = samples_at(context, samples, behind);
  GapList drops;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (!middle.holds(own[i]) && !middle.is_far(own[i])) continue;
    const double least = kJump * middle.size();
    if (!(std::abs(from[i] - own[i]) > least && std::abs(to[i] - own[i]) > least)) continue;
    drops.firsts.push_back(brief.firsts[i]);
    drops.lasts.push_back(brief.lasts[i]);
  }
  return drops;
}

}  // namespace

GapList long_gaps(const GapList& gaps, double bridge_s, double rate_hz) {
  GapList found;
  for (std::size_t i = 0; i < gaps.firsts.size(); ++i)
    if (!is_bridged(gaps.firsts[i], gaps.lasts[i], bridge_s, rate_hz)) {
      found.firsts.push_back(gaps.firsts[i]);
      found.lasts.push_back(gaps.lasts[i]);
    }
  return found;
}

template <class Context>
LeadSilence<Context> silence_of(Context& context, std::span<const float> samples, const Gaps& gaps, double bridge_s,
                                double rate_hz) {
  const auto least_of = [=](double seconds) { return std::max<std::int64_t>(std::llround(seconds * rate_hz), 2); };
  const std::int64_t n = std::ssize(samples);
  auto firsts = empty_set(context, n), lasts = empty_set(context, n);
  mark_still(context, samples, std::max<std::int64_t>(least_of(kDrop_s), kFewestDropped), firsts, lasts);
  const GapList all{to_host(context, positions(context, firsts, Pick::every)),
                    to_host(context, positions(context, lasts, Pick::every))};
  const GapList still = stretches_of(all, least_of(kStill_s), true),
                brief = stretches_of(all, least_of(kStill_s), false);
  LeadSilence<Context> silence;
  if (gaps.firsts.empty() && all.firsts.empty()) return silence;
  MiddleRange middle;
  if (auto moving = moving_samples(context, samples, all); !moving.empty()) {
    middle = {quantile(moving, 0.01), quantile(moving, 0.99)};
    silence.drop_outs = drop_outs_of(context, samples, brief, middle);
    silence.far = both_lists(far_stretches(context, samples, still, middle), silence.drop_outs);
  }
  const GapList missing{to_host(context, gaps.firsts), to_host(context, gaps.lasts)};
  silence.off = both_lists(both_lists(long_gaps(missing, bridge_s, rate_hz), long_gaps(still, kOff_s, rate_hz)),
                           silence.drop_outs);
  silence.still_firsts = from_host(context, still.firsts);
  silence.still_lasts = from_host(context, still.lasts);
  silence.off_firsts = from_host(context, silence.off.firsts);
  silence.off_lasts = from_host(context, silence.off.lasts);
  return silence;
}

#define BEATSCAN_SILENCE_OF(Context) \
  template LeadSilence<Context> silence_of(Context&, std::span<const float>, const Gaps&, double, double);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_SILENCE_OF)

}  // namespace beatscan
