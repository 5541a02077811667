#include "stages/beats/lead_silence.h"

#include <algorithm>
#include <cmath>

#include "kernels/lists/bits.h"
#include "kernels/signal/still.h"
#include "stages/beats/quality.h"

namespace beatscan {
namespace {

template <class Context>
Buffer<std::uint32_t, Context> empty_set(Context& context, std::int64_t samples) {
  Buffer<std::uint32_t, Context> words(context, words_for(samples));
  zero_bytes(context, words.data(), words.size() * sizeof(std::uint32_t));
  return words;
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
  LeadSilence<Context> silence;
  silence.still_firsts = positions(context, firsts, Pick::every);
  silence.still_lasts = positions(context, lasts, Pick::every);
  if (!gaps.firsts.empty()) {
    const GapList missing = long_gaps({to_host(context, gaps.firsts), to_host(context, gaps.lasts)}, bridge_s, rate_hz);
    silence.missing_firsts = from_host(context, missing.firsts);
    silence.missing_lasts = from_host(context, missing.lasts);
  }
  return silence;
}

#define BEATSCAN_SILENCE_OF(Context) \
  template LeadSilence<Context> silence_of(Context&, std::span<const float>, const Gaps&, double, double);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_SILENCE_OF)

}  // namespace beatscan
