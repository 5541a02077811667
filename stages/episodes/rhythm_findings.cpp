#include "stages/episodes/rhythm_findings.h"

#include "kernels/runtime/parallel.h"
#include "stages/episodes/episode_options.h"
#include "stages/episodes/episodes.h"
#include "stages/episodes/hours.h"
#include "stages/episodes/hrv.h"
#include "stages/episodes/intervals.h"

namespace beatscan {

template <class Context>
RhythmFindings rhythm_findings(Context& context, const RhythmBeats& beats, const SignalEvidence* evidence,
                               double samples, const EpisodeOptions& options) {
  RhythmFindings found;
  const auto measure_hrv = [&](const Episodes& episodes, const std::vector<TimeSpan>& af) {
    const auto nn = nn_intervals(beats, episodes.linked, intervals_in(beats, af));
    found.hrv = hrv_of(nn, interval_count(beats), options.hrv);
  };
  // The intervals in AF are no NN intervals. Most recordings have none, so that HRV is measured while AF is searched
  // for, and once more only where there is some.
  const auto measure_without_af = [&](const Episodes& episodes) { measure_hrv(episodes, {}); };
  const auto work_on_af = [&](const Episodes& with_af) {
    run_together(
        [&] {
          const auto af = spans_with(with_af.list, EpisodeLabel::atrial_fibrillation);
          if (!af.empty()) measure_hrv(with_af, af);
        },
        [&] { found.hours = hours_of(beats, with_af, samples); });
    found.af = burden_of(with_af, beats.sample_rate_hz);
  };
  found.episodes = episodes_of(context, beats, evidence, samples, options, {measure_without_af, work_on_af});
  return found;
}

#define BEATSCAN_RHYTHM_FINDINGS(Context)                                                              \
  template RhythmFindings rhythm_findings(Context&, const RhythmBeats&, const SignalEvidence*, double, \
                                          const EpisodeOptions&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_RHYTHM_FINDINGS)

}  // namespace beatscan
