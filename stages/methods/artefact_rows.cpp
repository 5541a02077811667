#include "stages/methods/artefact_rows.h"

#include "kernels/runtime/context.h"
#include "stages/beats/beat_list.h"
#include "stages/findings/bursts.h"
#include "stages/findings/finding_options.h"
#include "stages/findings/steps.h"
#include "stages/recording/recording.h"
#include "stages/rows/embedded_beats.h"

namespace beatscan {

template <class Context>
std::vector<Artefact> artefact_rows(Context& context, const Recording<Context>& recording,
                                    const EmbeddedBeats<Context>& embedded, const BeatList& beats,
                                    const std::vector<std::int64_t>& kept, std::span<const float> waveform,
                                    const FindingOptions& options, double sample_rate_hz) {
  const bool all = std::ssize(kept) <= options.usual.few_beats;
  std::vector<std::int64_t> usual, rows, asked, leads;
  usual.reserve(kept.size());
  for (std::size_t b = 0; b < kept.size(); ++b) {
    if (beats.trusted[kept[b]]) usual.push_back(kept[b]);
    if (all || waveform[b] >= options.kinds.ventricular.least_odd)
      rows.push_back(static_cast<std::int64_t>(b)), asked.push_back(kept[b]);
  }
  for (const auto& lead : embedded.leads) leads.push_back(lead.lead);
  const auto steps = are_steps(context, recording, leads, {beats.r_peaks, usual, asked}, sample_rate_hz);
  const auto bursts = are_bursts(context, recording, leads, beats.r_peaks, asked, sample_rate_hz);
  std::vector<Artefact> artefacts(kept.size(), Artefact::none);
  for (std::size_t i = 0; i < rows.size(); ++i)
    artefacts[rows[i]] = steps[i] ? Artefact::step : bursts[i] ? Artefact::burst : Artefact::none;
  return artefacts;
}

#define BEATSCAN_ARTEFACT_ROWS(Context)                                                                            \
  template std::vector<Artefact> artefact_rows(Context&, const Recording<Context>&, const EmbeddedBeats<Context>&, \
                                               const BeatList&, const std::vector<std::int64_t>&,                  \
                                               std::span<const float>, const FindingOptions&, double);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_ARTEFACT_ROWS)

}  // namespace beatscan
