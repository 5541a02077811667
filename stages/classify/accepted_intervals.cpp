#include "stages/classify/accepted_intervals.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "kernels/lists/sorted_window.h"
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
    SortedWindow window(values);
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

namespace {

constexpr int kRounds = 3;
constexpr std::size_t kFewestAccepted = 3;
constexpr double kLeastPremature = 0.08;
constexpr double kRunRatio = 0.85, kRunChange = 0.06;
constexpr std::int64_t kLongRun = 60, kRunGap = 3, kRunEnd = 5;

using Flags = std::vector<std::uint8_t>;

std::vector<double> changes_of(std::span<const double> rr, const std::vector<double>& near) {
  const std::int64_t others = std::ssize(rr) - 1;  // the first beat has no interval before its own
  if (others < 1) return std::vector<double>(rr.size(), 0.05);
  const auto least = of_each_beat(others, [&](std::int64_t k) {
    const std::int64_t i = k + 1;
    double least = std::abs(rr[i] - rr[i - 1]) / near[i];
    for (std::int64_t j = 2; j <= std::min<std::int64_t>(i, 3); ++j)
      least = std::min(least, std::abs(rr[i] - rr[i - j]) / near[i]);
    return least;
  });
  const auto before =
      of_each_beat<std::int64_t>(std::ssize(rr), [](std::int64_t i) { return std::max<std::int64_t>(i - 1, 0); });
  return quantiles_around(least, before, 30, 0.5);
}

// Returns which beats are accepted; all where these are too few.
Flags accepted(const Flags& premature, std::span<const std::uint8_t> aside) {
  auto fit = of_each_beat<std::uint8_t>(std::ssize(premature), [&](std::int64_t i) {
    return i > 0 && !premature[i] && !aside[i] && !premature[i - 1] && !aside[i - 1];
  });
  if (std::ranges::count(fit, 1) < static_cast<std::ptrdiff_t>(kFewestAccepted)) std::ranges::fill(fit, 1);
  return fit;
}

void add_reference(std::span<const double> rr, const Flags& fit, AcceptedIntervals& found) {
  auto some = some_values(rr, [&](std::int64_t i) { return fit[i]; });
  found.reference_s = quantiles_around(some.values, some.before, 24, 0.7);
  each_beat(std::ssize(rr), [&](std::int64_t i) {
    if (fit[i]) some.values[some.before[i]] = std::abs(rr[i] / found.reference_s[i] - 1);
  });
  found.scatter = quantiles_around(some.values, some.before, 48, 0.5);
  each_beat(std::ssize(rr), [&](std::int64_t i) { found.scatter[i] *= 1.4826; });
}

std::vector<double> margins_of(std::span<const double> rr, const AcceptedIntervals& found,
                               std::span<const std::uint8_t> aside) {
  return of_each_beat(std::ssize(rr), [&](std::int64_t i) {
    const double reference = found.reference_s[i];
    const double late = i + 1 < std::ssize(rr) ? 0.5 * std::clamp(rr[i + 1] / reference - 1, 0.0, 0.5) : 0;
    double abrupt = i > 0 ? std::clamp(1 - rr[i] / rr[i - 1], -0.3, 0.2) : 0;
    if (i > 0 && found.premature[i - 1]) abrupt = std::max(abrupt, 0.0);
    if (i > 0 && aside[i - 1]) abrupt = 0;
    return 1 - rr[i] / reference + late + 0.6 * abrupt;
  });
}

// Clears the premature flag of beats after excluded ones, unless the time from the last beat that is not excluded is
// short, too.
void keep_behind_aside(std::span<const double> rr, std::span<const std::uint8_t> aside, AcceptedIntervals& found) {
  double across = 0;
  for (std::size_t i = 1; i < rr.size(); ++i) {
    if (!aside[i - 1]) continue;
    across = (i > 1 && aside[i - 2] ? across : rr[i - 1]) + rr[i];
    if (!(1 - across / found.reference_s[i] > kLeastPremature)) found.premature[i] = 0;
  }
}

void extend_runs(std::span<const double> rr, std::span<const std::uint8_t> aside, AcceptedIntervals& found) {
  int run = 0;
  double limit = 0;
  for (std::size_t i = 0; i < rr.size(); ++i) {
    if (found.premature[i]) {
      if (++run == 1) limit = kRunRatio * found.reference_s[i];
    } else if (!aside[i]) {
      const bool goes_on = run >= 2 && rr[i] < limit && found.change[i] < kRunChange;
      found.premature[i] = goes_on;
      run = goes_on ? run + 1 : 0;
    }
  }
}

double median_of(std::vector<double> values) { return quantile(values, 0.5); }

// Returns whether a run of premature beats, given by their places, is the dominant rhythm of its time.
bool is_dominant(std::span<const double> rr, std::span<const std::int64_t> run, const AcceptedIntervals& found) {
  std::vector<double> own, end, behind;
  for (const std::int64_t i : run) own.push_back(rr[i]);
  for (const std::int64_t i : run.last(kRunEnd)) end.push_back(rr[i]);
  for (std::int64_t i = run.back() + 1; i < std::min<std::int64_t>(run.back() + 1 + kRunEnd, std::ssize(rr)); ++i)
    behind.push_back(rr[i]);
  const double median = median_of(own), before = found.reference_s[std::max<std::int64_t>(run.front() - 1, 0)];
  const bool ends_suddenly = behind.size() >= 3 && median_of(behind) / median_of(end) > 1.15;
  return (!ends_suddenly && median / before > 0.62) || (median > 0.6 && before > 1.2);
}

void accept_dominant_runs(std::span<const double> rr, AcceptedIntervals& found) {
  std::vector<std::int64_t> run;
  const auto finish = [&] {
    if (std::ssize(run) >= kLongRun && is_dominant(rr, run, found))
      for (const std::int64_t i : run) found.premature[i] = 0;
    run.clear();
  };
  for (std::int64_t i = 0; i < std::ssize(rr); ++i) {
    if (!found.premature[i]) continue;
    if (!run.empty() && i - run.back() > kRunGap) finish();
    run.push_back(i);
  }
  finish();
}

}  // namespace

AcceptedIntervals accepted_intervals(std::span<const double> rr, std::span<const std::uint8_t> aside) {
  const std::int64_t beats = std::ssize(rr);
  AcceptedIntervals found;
  const auto near = quantiles_around(rr, 15, 0.6);
  found.change = changes_of(rr, near);
  const auto others = some_values(rr, [&](std::int64_t i) { return !aside[i]; }).values;
  const double recording = others.size() > 4 ? median_of(others) : median_of({rr.begin(), rr.end()});
  found.premature = of_each_beat<std::uint8_t>(beats, [&](std::int64_t i) {
    const double ratio = rr[i] / near[i];
    return i > 0 && !aside[i] && (ratio < 0.84 || rr[i] / recording < 0.75) && ratio < 1 - 6 * found.change[i];
  });
  for (int round = 0; round < kRounds; ++round) {
    const Flags before = found.premature;
    add_reference(rr, accepted(before, aside), found);
    found.margin = margins_of(rr, found, aside);
    found.premature = of_each_beat<std::uint8_t>(beats, [&](std::int64_t i) {
      return i > 0 && !aside[i] && 1 - rr[i] / found.reference_s[i] > kLeastPremature &&
             found.margin[i] > premature_margin(found.scatter[i]);
    });
    keep_behind_aside(rr, aside, found);
    extend_runs(rr, aside, found);
    accept_dominant_runs(rr, found);
    if (found.premature == before) break;  // further rounds would find the same
  }
  return found;
}

RrIntervals rr_intervals(std::span<const double> r_peaks, std::span<const std::uint8_t> broken, double rate_hz) {
  auto rr_s = known_rr_s(r_peaks, broken, rate_hz);
  auto accepted = accepted_intervals(rr_s, std::vector<std::uint8_t>(rr_s.size()));
  return {std::move(rr_s), std::move(accepted)};
}

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
