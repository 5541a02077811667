#include <algorithm>
#include <cmath>

#include "stages/features/accepted_intervals.h"
#include "stages/features/beat_intervals.h"
#include "stages/features/column_groups.h"

namespace beatscan {

void add_accepted_columns(std::span<const double> rr, const AcceptedIntervals& accepted, FeatureColumns& columns) {
  const auto& reference = accepted.reference_s;
  const auto ratio = [&](std::int64_t i, double interval) { return std::log(interval / reference[i]); };
  columns.add("reference_rr_s", "s", "reference RR interval, over accepted beats",
              [&](std::int64_t i) { return reference[i]; });
  columns.add("prematurity", "", "log of the RR interval before the beat over the reference",
              [&](std::int64_t i) { return std::clamp(ratio(i, rr[i]), -1.2, 1.0); });
  columns.add("pause", "", "log of the RR interval after the beat over the reference",
              [&](std::int64_t i) { return std::clamp(ratio(i, neighbour(rr, i, 1)), -1.2, 1.0); });
  columns.add("prematurity_margin", "", "how far the prematurity exceeds the threshold of premature beats",
              [&](std::int64_t i) {
                return std::clamp(accepted.margin[i] - premature_margin(accepted.scatter[i]), -0.6, 0.6);
              });
  columns.add("is_premature", "", "1 for a premature beat", [&](std::int64_t i) { return accepted.premature[i]; });
  columns.add("reference_scatter", "", "scatter of accepted intervals around the reference",
              [&](std::int64_t i) { return accepted.scatter[i]; });
  columns.add("rr_change", "", "median of the least change over 1 to 3 beats, 30 beats on either side",
              [&](std::int64_t i) { return accepted.change[i]; });
  columns.add("rr_sum_before", "", "log of the time from the beat before the last to this one over the reference",
              [&](std::int64_t i) { return std::clamp(ratio(i, rr[i] + neighbour(rr, i, -1)), -0.8, 1.6); });
  columns.add("rr_sum_around", "", "log of the time from the beat before to the next over the reference there",
              [&](std::int64_t i) {
                const std::int64_t next = std::min<std::int64_t>(i + 1, std::ssize(rr) - 1);
                return std::clamp(ratio(next, rr[i] + rr[next]), -0.8, 1.6);
              });
}

}  // namespace beatscan
