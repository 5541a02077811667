#include "stages/beats/beat_list.h"

#include <algorithm>
#include <utility>

#include "kernels/beats/judge_beats.h"
#include "kernels/lists/bits.h"

namespace beatscan {
namespace {

struct FlatStretches {
  std::vector<std::int64_t> firsts, lasts;
};

FlatStretches flat_stretches(const SignalQuality& quality, std::int64_t samples) {
  FlatStretches flat;
  for (const auto& stretch : poor_stretches(quality, samples))
    if (stretch.kind == Quality::flat) {
      flat.firsts.push_back(stretch.first);
      flat.lasts.push_back(stretch.last - 1);
    }
  return flat;
}

// The gaps that are too long to be bridged.
struct LongGaps {
  std::vector<std::int64_t> firsts, lasts;
};

LongGaps long_gaps(const std::vector<std::int64_t>& firsts, const std::vector<std::int64_t>& lasts, double bridge_s,
                   double rate) {
  LongGaps gaps;
  for (std::size_t i = 0; i < firsts.size(); ++i)
    if (!is_bridged(firsts[i], lasts[i], bridge_s, rate)) {
      gaps.firsts.push_back(firsts[i]);
      gaps.lasts.push_back(lasts[i]);
    }
  return gaps;
}

constexpr std::int64_t kFewestTrusted = 2;

// Judges the beats, and trusts poorer signal while too few beats are trusted. Returns the worst that is trusted.
template <class Context>
Quality judge(Context& context, BeatBuffers<Context>& beats, Surroundings around) {
  around.trusted = 0;
  for (const Quality worst : {Quality::good, Quality::noisy, Quality::clipped}) {
    around.trusted |= only(worst);
    judge_beats(context, beats.r_peaks, around, {beats.fates, beats.quality, beats.trusted, beats.broken});
    if (positions_of(context, beats.trusted, 1).size() >= kFewestTrusted) return worst;
  }
  return Quality::good;  // there is nothing to trust, and the caller will say so
}

}  // namespace

template <class Context>
FoundBeats<Context> list_beats(Context& context, const Recording<Context>& recording, Detection<Context> detection,
                               RowReach reach, double bridge_s, double rate) {
  LongGaps gaps;
  SignalQuality& quality = detection.quality.front();
  const RecordedLead<Context>& lead = recording.leads.front();
  if (!lead.gap_firsts.empty()) {
    const auto firsts = to_host(context, lead.gap_firsts), lasts = to_host(context, lead.gap_lasts);
    mark_missing(quality, firsts, lasts);
    gaps = long_gaps(firsts, lasts, bridge_s, rate);
  }
  const auto flat = flat_stretches(quality, recording.samples());
  const auto gap_firsts = from_host(context, gaps.firsts), gap_lasts = from_host(context, gaps.lasts);
  const auto flat_firsts = from_host(context, flat.firsts), flat_lasts = from_host(context, flat.lasts);
  const auto blocks = from_host(context, quality.blocks);
  const std::int64_t count = detection.r_peaks.size();
  BeatBuffers<Context> beats{std::move(detection.r_peaks),
                             {context, count},
                             {context, count},
                             {context, count},
                             {context, std::max<std::int64_t>(count - 1, 0)}};
  const Quality worst = judge(context, beats,
                              {{gap_firsts, gap_lasts},
                               {flat_firsts, flat_lasts},
                               blocks,
                               quality.block_samples,
                               reach.before_s * rate,
                               reach.after_s * rate});
  return {std::move(beats), std::move(quality), worst};
}

#define BEATSCAN_BEAT_LIST(Context)                                                                                  \
  template FoundBeats<Context> list_beats(Context&, const Recording<Context>&, Detection<Context>, RowReach, double, \
                                          double);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_BEAT_LIST)

}  // namespace beatscan
