#include <algorithm>
#include <cmath>
#include <numeric>

#include "stages/common/robust.h"
#include "stages/features/beat_intervals.h"
#include "stages/features/column_groups.h"

namespace beatscan {
namespace {

// Returns the place of each value in the order of all, 0 .. 1; that of equal values is the first one's.
std::vector<double> ranks_of(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end()), ranks;
  std::ranges::sort(sorted);
  for (const double value : values)
    ranks.push_back((static_cast<double>(std::ranges::lower_bound(sorted, value) - sorted.begin()) + 0.5) /
                    static_cast<double>(sorted.size()));
  return ranks;
}

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) /
         static_cast<double>(std::max<std::size_t>(values.size(), 1));
}

std::vector<double> premature_flags(std::span<const double> ratio) {
  std::vector<double> flags;
  for (const double value : ratio) flags.push_back(value < kPrematureRatio ? 1 : 0);
  return flags;
}

// Returns the standard deviation of the values within `reach` places of each.
std::vector<double> deviations_around(std::span<const double> values, int reach) {
  std::vector<double> squares;
  for (const double value : values) squares.push_back(value * value);
  auto deviations = means_around(squares, reach);
  const auto means = means_around(values, reach);
  for (std::size_t i = 0; i < deviations.size(); ++i)
    deviations[i] = std::sqrt(std::max(deviations[i] - means[i] * means[i], 0.0));
  return deviations;
}

}  // namespace

std::vector<double> add_interval_columns(std::span<const double> rr, FeatureColumns& columns) {
  const std::int64_t count = std::ssize(rr);
  const auto next = [&](std::int64_t i) { return neighbour(rr, i, 1); };
  const auto log_over = [](double value, double other) { return std::log(value / other); };
  const std::vector<double> all(rr.begin(), rr.end());
  const double median = count > 0 ? quantile(all, 0.5) : 1, mean = mean_of(rr);

  columns.add("rr_s", "s", "RR interval before the beat", [&](std::int64_t i) { return rr[i]; });
  columns.add("rr_median_s", "s", "median RR interval of the recording", [&](std::int64_t) { return median; });
  columns.add("rr_recording", "", "log of the RR interval over the recording's median",
              [&](std::int64_t i) { return log_over(rr[i], median); });
  columns.add("rr_recording_mean", "", "log of the RR interval over the recording's mean",
              [&](std::int64_t i) { return log_over(rr[i], mean); });
  const auto rank = ranks_of(rr);
  columns.add("rr_rank", "", "rank of the RR interval in the recording, 0 to 1",
              [&](std::int64_t i) { return rank[i]; });
  std::vector<double> near;
  for (const int reach : {4, 16, 64}) {
    const auto local = quantiles_around(rr, reach, 0.5);
    const std::string n = std::to_string(reach);
    columns.add("rr_local" + n, "", "log of the RR interval over the median of " + n + " on either side",
                [&](std::int64_t i) { return log_over(rr[i], local[i]); });
    columns.add("rr_next_local" + n, "", "the same of the RR interval after the beat",
                [&](std::int64_t i) { return log_over(next(i), local[i]); });
    if (reach == 16) near = local;
  }
  for (const auto& [q, name] : {std::pair(0.25, "rr_q25"), std::pair(0.75, "rr_q75"), std::pair(0.9, "rr_q90")}) {
    const auto local = quantiles_around(rr, 10, q);
    const std::string percent = std::to_string(static_cast<int>(100 * q));
    columns.add(name, "", "log of the RR interval over the " + percent + " % quantile of 10 on either side",
                [&](std::int64_t i) { return log_over(rr[i], local[i]); });
  }
  for (const int reach : {5, 16, 64}) {
    const auto local = means_around(rr, reach);
    const std::string n = std::to_string(reach);
    columns.add("rr_mean" + n, "", "log of the RR interval over the mean of " + n + " on either side",
                [&](std::int64_t i) { return log_over(rr[i], local[i]); });
  }
  columns.add("rr_prev", "", "log of the RR interval over the one before it",
              [&](std::int64_t i) { return log_over(rr[i], neighbour(rr, i, -1)); });
  columns.add("rr_next", "", "log of the RR interval over the one after it",
              [&](std::int64_t i) { return log_over(rr[i], next(i)); });
  columns.add("rr_pair", "", "log of the RR intervals before and after the beat over twice the local median",
              [&](std::int64_t i) { return log_over(rr[i] + next(i), 2 * near[i]); });
  std::vector<double> ratio(count);
  for (std::int64_t i = 0; i < count; ++i) ratio[i] = rr[i] / near[i];
  for (const int by : {-3, -2, -1, 2, 3})
    columns.add((by < 0 ? "rr_before" : "rr_after") + std::to_string(std::abs(by)), "",
                "rr_local16 of the beat " + std::to_string(std::abs(by)) + (by < 0 ? " before" : " after"),
                [&](std::int64_t i) { return std::log(neighbour(ratio, i, by)); });
  for (const int lag : {1, 2, 3}) {
    std::vector<double> change(count);
    for (std::int64_t i = 0; i < count; ++i) change[i] = std::abs(rr[i] - neighbour(rr, i, -lag)) / near[i];
    const auto local = quantiles_around(change, 16, 0.5);
    columns.add("rr_change_lag" + std::to_string(lag), "",
                "median of |RR(i) - RR(i - " + std::to_string(lag) + ")| / local median, of 16 beats on either side",
                [&](std::int64_t i) { return local[i]; });
  }
  const auto spread = deviations_around(ratio, 16);
  columns.add("rr_spread", "", "standard deviation of RR / local median over 16 beats on either side",
              [&](std::int64_t i) { return spread[i]; });
  const auto premature = premature_flags(ratio);
  const auto local_premature = means_around(premature, 16);
  const double premature_share = mean_of(premature);
  columns.add("premature_share_local", "",
              "share of RR intervals below 0.88 of the local median, 16 beats on either side",
              [&](std::int64_t i) { return local_premature[i]; });
  columns.add("premature_share", "", "the same in the whole recording", [&](std::int64_t) { return premature_share; });
  const double high = count > 0 ? quantile(all, 0.9) / median : 1, low = count > 0 ? quantile(all, 0.1) / median : 1;
  columns.add("rr_recording_q90", "", "90 % quantile of the recording's RR intervals over their median",
              [&](std::int64_t) { return high; });
  columns.add("rr_recording_q10", "", "10 % quantile of the recording's RR intervals over their median",
              [&](std::int64_t) { return low; });
  return ratio;
}

}  // namespace beatscan
