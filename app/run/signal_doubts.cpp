#include "app/run/signal_doubts.h"

#include "app/result/run_result.h"
#include "kernels/runtime/context.h"
#include "stages/findings/beat_class.h"
#include "stages/recording/recording.h"

namespace beatscan {

template <class Context>
std::vector<Wraps> wraps_of_leads(Context& context, const Recording<Context>& recording,
                                  const std::vector<SignalQuality>& quality, double sample_rate_hz) {
  std::vector<Wraps> wraps;
  for (std::size_t l = 0; l < quality.size(); ++l)
    wraps.push_back(wraps_of(context, recording.leads[l], quality[l], sample_rate_hz));
  return wraps;
}

template <class Context>
void add_signal_doubts(Context& context, const Recording<Context>& recording, const BeatFacts& beats,
                       const Findings& findings, std::span<const Artefact> artefacts, double sample_rate_hz,
                       SignalDoubts& doubts) {
  for (std::size_t b = 0; b < beats.kept.size(); ++b) {
    const std::int64_t beat = beats.kept[b];
    if (findings.kinds[beat] != Kind::unknown || findings.is_paced(beat) || beats.found.quality[beat] != Quality::good)
      continue;
    if (findings.is_bump(beat)) doubts.bumps.push_back(beat);
    if (artefacts[b] == Artefact::step) doubts.steps.push_back(beat);
    if (artefacts[b] == Artefact::burst) doubts.bursts.push_back(beat);
  }
  std::vector<std::int64_t> asked, others;
  for (std::int64_t i = 0; i < std::ssize(findings.kinds); ++i) {
    const Kind kind = findings.kinds[i];
    if (kind == Kind::supraventricular || kind == Kind::ventricular)
      asked.push_back(i);
    else if (kind == Kind::normal)
      others.push_back(i);
  }
  if (!beats.leads.empty())
    doubts.repeats = repeats_beside(context, recording.leads[beats.leads.front()], beats.found.r_peaks, asked, others,
                                    sample_rate_hz);
}

#define BEATSCAN_SIGNAL_DOUBTS(Context)                                                                              \
  template std::vector<Wraps> wraps_of_leads(Context&, const Recording<Context>&, const std::vector<SignalQuality>&, \
                                             double);                                                                \
  template void add_signal_doubts(Context&, const Recording<Context>&, const BeatFacts&, const Findings&,            \
                                  std::span<const Artefact>, double, SignalDoubts&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_SIGNAL_DOUBTS)

}  // namespace beatscan
