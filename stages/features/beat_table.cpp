#include "stages/features/beat_table.h"

#include <algorithm>
#include <utility>

#include "kernels/runtime/error.h"
#include "stages/features/accepted_intervals.h"
#include "stages/features/column_groups.h"
#include "stages/features/lead_shapes.h"
#include "stages/recording/recording.h"

namespace beatscan {
namespace {

// Puts columns side by side.
BeatFeatures table_of(std::vector<FeatureColumn> columns, std::int64_t beats) {
  BeatFeatures table;
  const std::int64_t width = std::ssize(columns);
  table.values.resize(beats * width);
  parallel_for(Cpu(), beats, 4096, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t c = 0; c < width; ++c)
      for (std::int64_t i = first; i < last; ++i) table.values[i * width + c] = columns[c].values[i];
  });
  for (FeatureColumn& column : columns)
    table.columns.push_back({std::move(column.name), std::move(column.unit), std::move(column.text)});
  return table;
}

}  // namespace

template <class Context>
BeatFeatures beat_table(Context& context, const Recording<Context>& recording, const TableBeats& beats) {
  const std::int64_t count = std::ssize(beats.r_peaks);
  BEATSCAN_EXPECTS(count > 0 && !beats.leads.empty() && std::ssize(beats.intervals.rr_s) == count &&
                       beats.template_of.size() == beats.kept.size() &&
                       beats.template_distance.size() == beats.kept.size(),
                   "beat_table: bad shape");
  const auto& rr_s = beats.intervals.rr_s;
  FeatureColumns columns(count), of_shapes(count);
  const auto ratio = add_interval_columns(rr_s, columns);
  add_fibrillation_columns(rr_s, columns);
  add_accepted_columns(rr_s, beats.intervals.accepted, columns);
  const auto shapes = lead_shapes(context, recording, beats, rr_s, ratio);
  add_shape_columns(shapes, of_shapes);
  auto shape_columns = of_shapes.take();
  add_template_columns(beats, ratio, shape_columns, columns);
  add_wave_columns(beats, rr_s, columns);
  add_signal_columns(beats, shapes, columns);
  add_quality_columns(beats, columns);
  auto all = columns.take();
  std::ranges::move(shape_columns, std::back_inserter(all));
  return table_of(std::move(all), count);
}

#define BEATSCAN_BEAT_TABLE(Context) \
  template BeatFeatures beat_table(Context&, const Recording<Context>&, const TableBeats&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_BEAT_TABLE)

}  // namespace beatscan
