#include "stages/findings/findings.h"

#include "stages/beats/beat_list.h"
#include "stages/findings/bumps.h"
#include "stages/findings/clusters.h"
#include "stages/findings/finding_options.h"
#include "stages/findings/groups.h"
#include "stages/findings/kinds.h"
#include "stages/findings/usual_first.h"
#include "stages/rows/embedded_beats.h"
#include "stages/rows/row_options.h"

namespace beatscan {
namespace {

std::vector<std::uint8_t> rows_in_good_signal(const BeatList& beats, const std::vector<std::int64_t>& kept) {
  std::vector<std::uint8_t> good;
  good.reserve(kept.size());
  for (const std::int64_t i : kept) good.push_back(beats.quality[i] == Quality::good);
  return good;
}

}  // namespace

template <class Context>
ShapesAndRhythm<Context> shapes_and_rhythm(Context& context, const EmbeddedBeats<Context>& embedded,
                                           const RowOptions& rows, const BeatList& beats,
                                           const std::vector<std::int64_t>& kept, std::span<const float> waveform,
                                           double sample_rate_hz, const FindingOptions& options) {
  ShapesAndRhythm<Context> known;
  known.good = rows_in_good_signal(beats, kept);
  known.templates = templates_of(context, embedded, rows, {known.good, waveform}, options.templates);
  known.largest_is_usual = !put_usual_first(context, embedded, rows, options.kinds, options.usual, known.templates);
  known.rhythm = local_rhythm(context, beats.r_peaks, beats.broken, sample_rate_hz, options.kinds.early);
  return known;
}

template <class Context>
Findings findings_of(Context& context, const EmbeddedBeats<Context>& embedded, const RowOptions& rows,
                     const ShapesAndRhythm<Context>& known, const BeatList& beats,
                     const std::vector<std::int64_t>& kept, const ScoredRows& scored, const FindingOptions& options) {
  const auto& templates = known.templates;
  // In a recording of few beats most may be abnormal, and then the score takes these for usual. So it does where the
  // largest shape is not the usual one.
  const bool misled = !known.largest_is_usual || std::ssize(kept) <= options.usual.few_beats;
  const KindBeats judged{.r_peaks = beats.r_peaks,
                         .broken = beats.broken,
                         .kept = kept,
                         .good = known.good,
                         .noise = scored.noise,
                         .odd = misled ? std::span<const float>() : scored.waveform,
                         .artefacts = scored.artefacts};
  Findings findings{.kinds = kinds_of(context, embedded, rows, templates, known.rhythm, judged, options.kinds),
                    .templates = std::vector<std::int32_t>(beats.r_peaks.size(), -1)};
  if (!misled)
    findings.bent =
        tell_bumps({beats.r_peaks, beats.broken, kept, scored.noise, scored.waveform}, options.bumps, findings.kinds);
  std::vector<Kind> of_rows;
  of_rows.reserve(kept.size());
  for (const std::int64_t i : kept) of_rows.push_back(findings.kinds[i]);
  auto grouped = groups_of(templates.template_of, of_rows,
                           distances_between(templates.centres, templates.width, templates.floor), options.groups);
  for (std::size_t b = 0; b < kept.size(); ++b) findings.templates[kept[b]] = grouped.group_of[b];
  findings.groups = std::move(grouped.groups);
  return findings;
}

#define BEATSCAN_FINDINGS_OF(Context)                                                                               \
  template ShapesAndRhythm<Context> shapes_and_rhythm(Context&, const EmbeddedBeats<Context>&, const RowOptions&,   \
                                                      const BeatList&, const std::vector<std::int64_t>&,            \
                                                      std::span<const float>, double, const FindingOptions&);       \
  template Findings findings_of(Context&, const EmbeddedBeats<Context>&, const RowOptions&,                         \
                                const ShapesAndRhythm<Context>&, const BeatList&, const std::vector<std::int64_t>&, \
                                const ScoredRows&, const FindingOptions&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_FINDINGS_OF)

}  // namespace beatscan
