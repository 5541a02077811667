#include "stages/beats/lead_silence.h"

#include <algorithm>
#include <cmath>

#include "kernels/lists/bits.h"
#include "kernels/lists/gather.h"
#include "kernels/signal/still.h"
#include "stages/beats/quality.h"
#include "stages/common/robust.h"

namespace beatscan {
namespace {

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

// Returns the stretches whose value is beyond the middle 98 % of moving samples by more than half of their range.
template <class Context>
GapList far_stretches(Context& context, std::span<const float> samples, const Buffer<std::int64_t, Context>& firsts,
                      const GapList& still) {
  auto moving = moving_samples(context, samples, still);
  if (moving.empty()) return {};
  const double low = quantile(moving, 0.01), high = quantile(moving, 0.99), beyond = 0.5 * (high - low);
  Buffer<float, Context> chosen(context, firsts.size());
  gather<float>(context, samples, firsts, chosen);
  const auto values = to_host(context, chosen);
  GapList far;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] < low - beyond || values[i] > high + beyond) {
      far.firsts.push_back(still.firsts[i]);
      far.lasts.push_back(still.lasts[i]);
    }
  return far;
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
  const std::int64_t n = std::ssize(samples), least = std::max<std::int64_t>(std::llround(kStill_s * rate_hz), 2);
  auto firsts = empty_set(context, n), lasts = empty_set(context, n);
  mark_still(context, samples, least, firsts, lasts);
  LeadSilence<Context> silence{.still_firsts = positions(context, firsts, Pick::every),
                               .still_lasts = positions(context, lasts, Pick::every)};
  if (gaps.firsts.empty() && silence.still_firsts.empty()) return silence;
  const GapList still{to_host(context, silence.still_firsts), to_host(context, silence.still_lasts)},
      missing{to_host(context, gaps.firsts), to_host(context, gaps.lasts)},
      off = both_lists(long_gaps(missing, bridge_s, rate_hz), long_gaps(still, kOff_s, rate_hz));
  silence.far = far_stretches(context, samples, silence.still_firsts, still);
  silence.off_firsts = from_host(context, off.firsts);
  silence.off_lasts = from_host(context, off.lasts);
  return silence;
}

#define BEATSCAN_SILENCE_OF(Context) \
  template LeadSilence<Context> silence_of(Context&, std::span<const float>, const Gaps&, double, double);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_SILENCE_OF)

}  // namespace beatscan
