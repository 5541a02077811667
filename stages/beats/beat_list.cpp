#include "stages/beats/beat_list.h"

#include <algorithm>
#include <utility>

#include "kernels/beats/judge_beats.h"

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

}  // namespace

template <class Context>
FoundBeats<Context> list_beats(Context& context, const Recording<Context>& recording, Detection<Context> detection,
                               RowReach reach, double rate) {
  if (!recording.leads.front().gap_firsts.empty())
    mark_missing(detection.quality, to_host(context, recording.leads.front().gap_firsts),
                 to_host(context, recording.leads.front().gap_lasts));
  const auto flat = flat_stretches(detection.quality, recording.samples());
  const auto flat_firsts = from_host(context, flat.firsts), flat_lasts = from_host(context, flat.lasts);
  const auto blocks = from_host(context, detection.quality.blocks);
  const std::int64_t count = detection.r_peaks.size();
  BeatBuffers<Context> beats{std::move(detection.r_peaks),
                             {context, count},
                             {context, count},
                             {context, count},
                             {context, std::max<std::int64_t>(count - 1, 0)}};
  judge_beats(context, beats.r_peaks,
              {{recording.leads.front().gap_firsts, recording.leads.front().gap_lasts},
               {flat_firsts, flat_lasts},
               blocks,
               detection.quality.block_samples,
               reach.before_s * rate,
               reach.after_s * rate},
              {beats.fates, beats.quality, beats.trusted, beats.broken});
  return {std::move(beats), std::move(detection.quality)};
}

#define BEATSCAN_BEAT_LIST(Context) \
  template FoundBeats<Context> list_beats(Context&, const Recording<Context>&, Detection<Context>, RowReach, double);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_BEAT_LIST)

}  // namespace beatscan
