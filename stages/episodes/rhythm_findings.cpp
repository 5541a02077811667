#include "stages/episodes/rhythm_findings.h"

#include "kernels/runtime/parallel.h"

namespace beatscan {

template <class Context>
RhythmFindings rhythm_findings(Context& context, const RhythmBeats& beats, const SignalEvidence* evidence,
                               double samples, const EpisodeOptions& options) {
  RhythmFindings found{.episodes = episodes_of(context, beats, evidence, samples, options)};
  const auto af = spans_with(found.episodes.list, EpisodeLabel::atrial_fibrillation);
  const auto nn = nn_intervals(beats, found.episodes.linked, intervals_in(beats, af));
  found.af = burden_of(found.episodes, beats.sample_rate_hz);
  run_parts(2, [&](std::int64_t part) {
    if (part == 0)
      found.hrv = hrv_of(nn, interval_count(beats), options.hrv);
    else
      found.hours = hours_of(beats, found.episodes, samples);
  });
  return found;
}

#define BEATSCAN_RHYTHM_FINDINGS(Context)                                                              \
  template RhythmFindings rhythm_findings(Context&, const RhythmBeats&, const SignalEvidence*, double, \
                                          const EpisodeOptions&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_RHYTHM_FINDINGS)

}  // namespace beatscan
