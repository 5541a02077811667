#include "stages/features/beat_table.h"

#include <algorithm>
#include <utility>

#include "kernels/runtime/error.h"
#include "stages/features/accepted_intervals.h"
#include "stages/features/column_groups.h"
#include "stages/features/lead_shapes.h"
#include "stages/recording/recording.h"

namespace beatscan {

const FeatureColumn* BeatFeatures::column(std::string_view name) const {
  const auto found = std::ranges::find(columns, name, &FeatureColumn::name);
  return found == columns.end() ? nullptr : &*found;
}

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
  BeatFeatures table{columns.take()};
  std::ranges::move(shape_columns, std::back_inserter(table.columns));
  return table;
}

#define BEATSCAN_BEAT_TABLE(Context) \
  template BeatFeatures beat_table(Context&, const Recording<Context>&, const TableBeats&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_BEAT_TABLE)

}  // namespace beatscan
