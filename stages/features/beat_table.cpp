#include "stages/features/beat_table.h"

#include <algorithm>
#include <utility>

#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "stages/features/accepted_intervals.h"
#include "stages/features/column_groups.h"
#include "stages/features/lead_shapes.h"
#include "stages/io/recording/recording.h"
#include "stages/quality/quality_index.h"
#include "stages/templates/pacing.h"
#include "stages/waves/waves.h"

namespace beatscan {

const FeatureColumn* BeatFeatures::column(std::string_view name) const {
  const auto found = std::ranges::find(columns, name, &FeatureColumn::name);
  return found == columns.end() ? nullptr : &*found;
}

namespace {

// Makes the table. lead_shapes_of(ratio) measures the shapes, given each RR interval over its local median.
template <class LeadShapesOf>
BeatFeatures table_of(const TableBeats& beats, const LeadShapesOf& lead_shapes_of) {
  const FeatureColumns none(std::ssize(beats.r_peaks));
  const auto& rr_s = beats.intervals.rr_s;
  FeatureColumns of_shapes = none, intervals = none, fibrillation = none, accepted = none, templates = none,
                 waves = none, quality = none, signal = none;
  const auto local = local_intervals(rr_s);
  LeadShapes shapes;
  run_together(
      [&] {
        shapes = lead_shapes_of(local.ratio);
        add_shape_columns(shapes, of_shapes);
        add_template_columns(beats, local.ratio, of_shapes.all(), templates);
        add_signal_columns(beats, shapes, signal);
      },
      [&] { add_interval_columns(local, intervals); }, [&] { add_fibrillation_columns(rr_s, fibrillation); },
      [&] { add_accepted_columns(rr_s, beats.intervals.accepted, accepted); },
      [&] { add_wave_columns(beats, rr_s, waves); }, [&] { add_quality_columns(beats, quality); });
  FeatureColumns& columns = intervals;
  for (auto* group : {&fibrillation, &accepted, &templates, &waves, &signal, &quality, &of_shapes})
    columns.append(std::move(*group));
  return {columns.take()};
}

}  // namespace

BeatFeatures interval_table(std::span<const double> rr_s) {
  FeatureColumns columns(std::ssize(rr_s));
  add_interval_columns(local_intervals(rr_s), columns);
  add_fibrillation_columns(rr_s, columns);
  return {columns.take()};
}

template <class Context>
BeatFeatures beat_table(Context& context, const Recording<Context>& recording, const TableBeats& beats) {
  const std::int64_t count = std::ssize(beats.r_peaks);
  BEATSCAN_EXPECTS(count > 0 && !beats.leads.empty() && std::ssize(beats.intervals.rr_s) == count &&
                       beats.template_of.size() == beats.kept.size() &&
                       beats.template_distance.size() == beats.kept.size(),
                   "beat_table: bad shape");
  return table_of(beats, [&](std::span<const double> ratio) {
    return lead_shapes(context, recording, beats, beats.intervals.rr_s, ratio);
  });
}

std::vector<std::string> beat_table_names() {  // of a table without beats
  const RrIntervals intervals;
  const BeatWaves waves;
  const BeatImpulses impulses;
  const QualityIndex quality;
  const TableBeats none{.r_peaks = {},
                        .intervals = intervals,
                        .kept = {},
                        .template_of = {},
                        .template_distance = {},
                        .waveform = {},
                        .rhythm = {},
                        .baseline = {},
                        .noise = {},
                        .leads = {},
                        .waves = waves,
                        .impulses = impulses,
                        .quality = quality,
                        .sample_rate_hz = 1};
  const auto table = table_of(none, [](std::span<const double>) { return LeadShapes{{}, {1}, {}}; });
  std::vector<std::string> names;
  for (const FeatureColumn& column : table.columns) names.push_back(column.name);
  return names;
}

#define BEATSCAN_BEAT_TABLE(Context) \
  template BeatFeatures beat_table(Context&, const Recording<Context>&, const TableBeats&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_BEAT_TABLE)

}  // namespace beatscan
