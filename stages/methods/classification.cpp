#include "stages/methods/classification.h"

#include "kernels/runtime/beside.h"
#include "stages/classify/beat_classes.h"
#include "stages/classify/beat_findings.h"
#include "stages/detect/beat_list.h"
#include "stages/io/recording/recording.h"
#include "stages/score/scores.h"
#include "stages/waves/waves.h"
#include "stages/windows/embedded_beats.h"
#include "stages/windows/row_options.h"

namespace beatscan {
namespace {

template <class Context>
std::vector<std::int64_t> leads_of(const EmbeddedBeats<Context>& embedded) {
  std::vector<std::int64_t> leads;
  for (const auto& lead : embedded.leads) leads.push_back(lead.lead);
  return leads;
}

}  // namespace

template <class Context>
ShapesAndIntervals<Context> shapes_and_intervals(Context& context, const RankedBeats<Context>& ranked,
                                                 const RowOptions& rows, int least_threads) {
  const BeatList& beats = ranked.beats;
  ShapesAndIntervals<Context> found{.templates = {}, .impulses = {}, .intervals = {context, std::ssize(beats.r_peaks)}};
  run_concurrently(
      context,
      [&](Context& on) {
        found.templates = templates_of_rows(on, ranked.embedded, rows, beats, ranked.kept, ranked.ranking.waveform, {});
      },
      [&](Context& other) {
        found.impulses = beat_impulses(other, ranked.recording, ranked.embedded, beats.r_peaks, ranked.sample_rate_hz);
        find_rr_intervals(other, beats.r_peaks, beats.broken, ranked.sample_rate_hz, found.intervals);
      },
      least_threads);
  return found;
}

template <class Context>
BeatWaves delineated_beats(Context& context, const RankedBeats<Context>& ranked,
                           const ShapesAndIntervals<Context>& known, const DelineationModel& model,
                           const WaveOptions& options) {
  const auto groups = averaging_groups(known.templates.template_of, ranked.kept, known.intervals.accepted.premature);
  return delineate(context, ranked.recording, leads_of(ranked.embedded),
                   {ranked.beats.r_peaks, groups, ranked.beats.broken}, model, options, ranked.sample_rate_hz);
}

template <class Context>
FeatureTable<Context> table_of_beats(Context& context, const RankedBeats<Context>& ranked,
                                     const ShapesAndIntervals<Context>& known, const BeatWaves& waves) {
  const auto leads = leads_of(ranked.embedded);
  return beat_table<Context>(context, ranked.recording,
                             {.r_peaks = ranked.beats.r_peaks,
                              .intervals = known.intervals,
                              .kept = ranked.kept,
                              .template_of = known.templates.nearest,
                              .template_distance = known.templates.distances,
                              .waveform = ranked.ranking.waveform,
                              .rhythm = ranked.ranking.rhythm,
                              .baseline = ranked.ranking.baseline.score,
                              .noise = ranked.ranking.noise,
                              .leads = leads,
                              .waves = waves,
                              .impulses = known.impulses,
                              .quality = ranked.quality,
                              .sample_rate_hz = ranked.sample_rate_hz});
}

template <class Context>
Findings classified_beats(Context& context, const RankedBeats<Context>& ranked,
                          const ShapesAndIntervals<Context>& known, const FeatureTable<Context>& table,
                          const ClassModel& model) {
  return findings_of(known.templates, ranked.kept, class_posteriors(context, table, model), known.impulses,
                     ranked.sample_rate_hz, {});
}

#define BEATSCAN_CLASSIFICATION(Context)                                                                              \
  template ShapesAndIntervals<Context> shapes_and_intervals(Context&, const RankedBeats<Context>&, const RowOptions&, \
                                                            int);                                                     \
  template BeatWaves delineated_beats(Context&, const RankedBeats<Context>&, const ShapesAndIntervals<Context>&,      \
                                      const DelineationModel&, const WaveOptions&);                                   \
  template FeatureTable<Context> table_of_beats(Context&, const RankedBeats<Context>&,                                \
                                                const ShapesAndIntervals<Context>&, const BeatWaves&);                \
  template Findings classified_beats(Context&, const RankedBeats<Context>&, const ShapesAndIntervals<Context>&,       \
                                     const FeatureTable<Context>&, const ClassModel&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_CLASSIFICATION)

}  // namespace beatscan
