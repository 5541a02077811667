#include "stages/findings/findings.h"

#include "stages/findings/clusters.h"

namespace beatscan {

template <class Context>
Findings findings_of(Context& context, const EmbeddedBeats<Context>& embedded, const RowOptions& rows,
                     const BeatList& beats, const std::vector<std::int64_t>& kept, const ScoredRows& scored,
                     const FindingOptions& options) {
  std::vector<std::uint8_t> good;
  good.reserve(kept.size());
  for (const std::int64_t i : kept) good.push_back(beats.quality[i] == Quality::good);
  auto templates = templates_of(context, embedded, rows, {good, scored.waveform}, options.templates);
  const bool another = put_usual_first(context, embedded, rows, options.kinds, options.usual, templates);
  // In a recording of few beats most may be abnormal, and then the score takes these for usual. So it does where the
  // largest shape is not the usual one.
  const bool misled = another || std::ssize(kept) <= options.usual.few_beats;
  const KindBeats judged{.r_peaks = beats.r_peaks,
                         .broken = beats.broken,
                         .kept = kept,
                         .good = good,
                         .noise = scored.noise,
                         .odd = misled ? std::span<const float>() : scored.waveform,
                         .artefacts = scored.artefacts};
  Findings findings{.kinds = kinds_of(context, embedded, rows, templates, judged, options.kinds),
                    .templates = std::vector<std::int32_t>(beats.r_peaks.size(), -1)};
  std::vector<Kind> of_rows;
  of_rows.reserve(kept.size());
  for (const std::int64_t i : kept) of_rows.push_back(findings.kinds[i]);
  auto grouped = groups_of(templates.template_of, of_rows,
                           distances_between(templates.centres, templates.width, templates.floor), options.groups);
  for (std::size_t b = 0; b < kept.size(); ++b) findings.templates[kept[b]] = grouped.group_of[b];
  findings.groups = std::move(grouped.groups);
  return findings;
}

#define BEATSCAN_FINDINGS_OF(Context)                                                                        \
  template Findings findings_of(Context&, const EmbeddedBeats<Context>&, const RowOptions&, const BeatList&, \
                                const std::vector<std::int64_t>&, const ScoredRows&, const FindingOptions&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_FINDINGS_OF)

}  // namespace beatscan
