#include "stages/classify/beat_intervals.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "kernels/lists/local_quantiles.h"
#include "kernels/runtime/parallel.h"
#include "stages/classify/columns.h"
#include "stages/common/robust.h"

namespace beatscan {

std::vector<double> known_rr_s(std::span<const double> r_peaks, std::span<const std::uint8_t> broken, double rate_hz) {
  std::vector<double> rr(r_peaks.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 1; i < rr.size(); ++i)
    if (!broken[i - 1]) rr[i] = r_peaks[i] - r_peaks[i - 1];
  const auto known = finite_of(rr);
  constexpr double kUnknownS = 0.8;
  const double fill = known.empty() ? kUnknownS * rate_hz : quantile(known, 0.5);
  for (double& value : rr)
    value = std::clamp((std::isfinite(value) ? value : fill) / rate_hz, kShortestRrS, kLongestRrS);
  return rr;
}

std::vector<double> quantiles_around(std::span<const double> values, std::span<const std::int64_t> before, int reach,
                                     double q) {
  constexpr std::int64_t kGrain = 2048;
  std::vector<double> quantiles(before.size());
  parallel_for(Cpu(), std::ssize(before), kGrain, [&](std::int64_t first, std::int64_t last) {
    SortedWindow<double> window(values);
    for (std::int64_t i = first; i < last; ++i) {
      window.move_to(std::max<std::int64_t>(before[i] - reach, 0), std::min(before[i] + reach, std::ssize(values)));
      quantiles[i] = quantile_of_sorted(window.sorted(), q);
    }
  });
  return quantiles;
}

std::vector<double> quantiles_around(std::span<const double> values, int reach, double q) {
  std::vector<std::int64_t> places(values.size());
  std::iota(places.begin(), places.end(), 0);
  return quantiles_around(values, places, reach, q);
}

std::vector<double> known_medians(std::span<const double> values, int reach) {
  const auto known = some_values(values, [&](std::int64_t i) { return std::isfinite(values[i]); });
  if (known.values.empty()) return std::vector<double>(values.size(), std::numeric_limits<double>::quiet_NaN());
  return quantiles_around(known.values, known.before, reach, 0.5);
}

std::vector<double> means_around(std::span<const double> values, int reach) {
  constexpr std::int64_t kBlock = 4096;  // has sums of its own, so that any number of threads gives the same bits
  const std::int64_t count = std::ssize(values), blocks = (count + kBlock - 1) / kBlock;
  std::vector<double> means(count);
  parallel_each(Cpu(), blocks, [&](std::int64_t block) {
    const std::int64_t begin = block * kBlock, end = std::min(begin + kBlock, count);
    const std::int64_t low = std::max<std::int64_t>(begin - reach, 0), high = std::min(end + reach, count);
    std::vector<double> sums(high - low + 1);
    for (std::int64_t i = low; i < high; ++i) sums[i - low + 1] = sums[i - low] + values[i];
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t first = std::max<std::int64_t>(i - reach, 0), last = std::min(i + reach + 1, count);
      means[i] = (sums[last - low] - sums[first - low]) / static_cast<double>(last - first);
    }
  });
  return means;
}

namespace {

constexpr std::array kMedianReaches{4, 16, 64}, kMeanReaches{5, 16, 64}, kLags{1, 2, 3};
constexpr std::array<double, 3> kQuantiles{0.25, 0.75, 0.9};

using Values = std::vector<double>;  // [K]

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) /
         static_cast<double>(std::max<std::size_t>(values.size(), 1));
}

// All intervals of the recording.
struct AllIntervals {
  double mean = 0, median = 1, q10 = 1, q90 = 1;
  Values rank;  // place of each in the order of all, 0 .. 1; that of equal ones is the first one's
};

AllIntervals all_intervals(std::span<const double> rr) {
  if (rr.empty()) return {};
  Values sorted(rr.begin(), rr.end());
  std::ranges::sort(sorted);
  const auto rank = [&](std::int64_t i) {
    const auto place = std::ranges::lower_bound(sorted, rr[i]) - sorted.begin();
    return (static_cast<double>(place) + 0.5) / static_cast<double>(sorted.size());
  };
  return {mean_of(rr), quantile_of_sorted(sorted, 0.5), quantile_of_sorted(sorted, 0.1),
          quantile_of_sorted(sorted, 0.9), of_each_beat(std::ssize(rr), rank)};
}

// Returns the standard deviation of the values within `reach` places of each.
Values deviations_around(std::span<const double> values, int reach) {
  const auto squares = of_each_beat(std::ssize(values), [&](std::int64_t i) { return values[i] * values[i]; });
  const auto mean_squares = means_around(squares, reach), means = means_around(values, reach);
  return of_each_beat(std::ssize(values),
                      [&](std::int64_t i) { return std::sqrt(std::max(mean_squares[i] - means[i] * means[i], 0.0)); });
}

// Slow computations, which run in parallel before the columns are made of them.
struct Surroundings {
  AllIntervals all;
  std::array<Values, 3> medians, quantiles, means, changes;  // by kMedianReaches, kQuantiles, kMeanReaches, kLags
  Values deviation, premature, premature_share;
};

Surroundings surroundings_of(const LocalIntervals& local) {
  Surroundings found;
  const auto rr = local.rr_s;
  const std::int64_t beats = std::ssize(rr);
  const auto medians = [&](int k) { found.medians[k] = quantiles_around(rr, kMedianReaches[k], 0.5); };
  const auto quantiles = [&](int k) { found.quantiles[k] = quantiles_around(rr, 10, kQuantiles[k]); };
  const auto means = [&](int k) { found.means[k] = means_around(rr, kMeanReaches[k]); };
  const auto changes = [&](int k) {
    const auto change = of_each_beat(
        beats, [&](std::int64_t i) { return std::abs(rr[i] - neighbour(rr, i, -kLags[k])) / local.median_s[i]; });
    found.changes[k] = quantiles_around(change, 16, 0.5);
  };
  const auto of_ratio = [&] {
    found.deviation = deviations_around(local.ratio, 16);
    found.premature = of_each_beat(beats, [&](std::int64_t i) { return local.ratio[i] < kPrematureRatio; });
    found.premature_share = means_around(found.premature, 16);
  };
  run_together([&] { found.all = all_intervals(rr); }, [&] { medians(0); }, [&] { medians(1); }, [&] { medians(2); },
               [&] { quantiles(0); }, [&] { quantiles(1); }, [&] { quantiles(2); }, [&] { means(0); },
               [&] { means(1); }, [&] { means(2); }, [&] { changes(0); }, [&] { changes(1); }, [&] { changes(2); },
               of_ratio);
  return found;
}

}  // namespace

LocalIntervals local_intervals(std::span<const double> rr_s) {
  LocalIntervals local{rr_s, quantiles_around(rr_s, 16, 0.5), {}};
  local.ratio = of_each_beat(std::ssize(rr_s), [&](std::int64_t i) { return rr_s[i] / local.median_s[i]; });
  return local;
}

void add_interval_columns(const LocalIntervals& local, FeatureColumns& columns) {
  const auto rr = local.rr_s;
  const auto& near = local.median_s;
  const auto around = surroundings_of(local);
  const AllIntervals& all = around.all;
  const auto next = [&](std::int64_t i) { return neighbour(rr, i, 1); };
  const auto log_over = [](double value, double other) { return std::log(value / other); };

  columns.add("rr_s", "s", "RR interval before the beat", [&](std::int64_t i) { return rr[i]; });
  columns.add("rr_median_s", "s", "median RR interval of the recording", [&](std::int64_t) { return all.median; });
  columns.add("rr_recording", "", "log of the RR interval over the recording's median",
              [&](std::int64_t i) { return log_over(rr[i], all.median); });
  columns.add("rr_recording_mean", "", "log of the RR interval over the recording's mean",
              [&](std::int64_t i) { return log_over(rr[i], all.mean); });
  columns.add("rr_rank", "", "rank of the RR interval in the recording, 0 to 1",
              [&](std::int64_t i) { return all.rank[i]; });
  for (int k = 0; k < 3; ++k) {
    const auto& medians = around.medians[k];
    const std::string n = std::to_string(kMedianReaches[k]);
    columns.add("rr_local" + n, "", "log of the RR interval over the median of " + n + " on either side",
                [&](std::int64_t i) { return log_over(rr[i], medians[i]); });
    columns.add("rr_next_local" + n, "", "the same of the RR interval after the beat",
                [&](std::int64_t i) { return log_over(next(i), medians[i]); });
  }
  for (int k = 0; k < 3; ++k) {
    const std::string percent = std::to_string(static_cast<int>(100 * kQuantiles[k]));
    columns.add("rr_q" + percent, "", "log of the RR interval over the " + percent + " % quantile of 10 on either side",
                [&](std::int64_t i) { return log_over(rr[i], around.quantiles[k][i]); });
  }
  for (int k = 0; k < 3; ++k) {
    const std::string n = std::to_string(kMeanReaches[k]);
    columns.add("rr_mean" + n, "", "log of the RR interval over the mean of " + n + " on either side",
                [&](std::int64_t i) { return log_over(rr[i], around.means[k][i]); });
  }
  columns.add("rr_prev", "", "log of the RR interval over the one before it",
              [&](std::int64_t i) { return log_over(rr[i], neighbour(rr, i, -1)); });
  columns.add("rr_next", "", "log of the RR interval over the one after it",
              [&](std::int64_t i) { return log_over(rr[i], next(i)); });
  columns.add("rr_pair", "", "log of the RR intervals before and after the beat over twice the local median",
              [&](std::int64_t i) { return log_over(rr[i] + next(i), 2 * near[i]); });
  for (const int by : {-3, -2, -1, 2, 3})
    columns.add((by < 0 ? "rr_before" : "rr_after") + std::to_string(std::abs(by)), "",
                "rr_local16 of the beat " + std::to_string(std::abs(by)) + (by < 0 ? " before" : " after"),
                [&](std::int64_t i) { return std::log(neighbour(local.ratio, i, by)); });
  for (int k = 0; k < 3; ++k) {
    const std::string lag = std::to_string(kLags[k]);
    columns.add("rr_change_lag" + lag, "",
                "median of |RR(i) - RR(i - " + lag + ")| / local median, of 16 beats on either side",
                [&](std::int64_t i) { return around.changes[k][i]; });
  }
  columns.add("rr_spread", "", "standard deviation of RR / local median over 16 beats on either side",
              [&](std::int64_t i) { return around.deviation[i]; });
  columns.add("premature_share_local", "",
              "share of RR intervals below 0.88 of the local median, 16 beats on either side",
              [&](std::int64_t i) { return around.premature_share[i]; });
  const double premature_share = mean_of(around.premature);
  columns.add("premature_share", "", "the same in the whole recording", [&](std::int64_t) { return premature_share; });
  columns.add("rr_recording_q90", "", "90 % quantile of the recording's RR intervals over their median",
              [&](std::int64_t) { return all.q90 / all.median; });
  columns.add("rr_recording_q10", "", "10 % quantile of the recording's RR intervals over their median",
              [&](std::int64_t) { return all.q10 / all.median; });
}

}  // namespace beatscan
