#include "stages/rhythm/rhythm_findings.h"

#include "kernels/runtime/parallel.h"
#include "stages/rhythm/episode_options.h"
#include "stages/rhythm/episodes.h"
#include "stages/rhythm/hours.h"
#include "stages/rhythm/hrv.h"
#include "stages/rhythm/intervals.h"

namespace beatscan {

template <class Context>
RhythmFindings rhythm_findings(Context& context, const RhythmBeats& beats, const SignalEvidence* evidence,
                               const Rhythms& rhythms, double samples, const EpisodeOptions& options) {
  RhythmFindings found{.episodes = episodes_of(context, beats, evidence, rhythms, samples, options)};
  const Episodes& episodes = found.episodes;
  run_together(
      [&] {
        // The intervals in atrial fibrillation are no NN intervals.
        const auto af = spans_with(episodes.list, EpisodeLabel::atrial_fibrillation);
        const auto nn = nn_intervals(beats, episodes.linked, intervals_in(beats, af));
        found.hrv = hrv_of(nn, interval_count(beats), options.hrv);
      },
      [&] { found.hours = hours_of(beats, episodes, samples); });
  found.af = burden_of(episodes, beats.sample_rate_hz);
  return found;
}

#define BEATSCAN_RHYTHM_FINDINGS(Context)                                                                              \
  template RhythmFindings rhythm_findings(Context&, const RhythmBeats&, const SignalEvidence*, const Rhythms&, double, \
                                          const EpisodeOptions&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_RHYTHM_FINDINGS)

}  // namespace beatscan
