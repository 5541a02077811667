#include "kernels/features/interval_columns.h"

#include <cmath>
#include <vector>

#include "kernels/features/beat_sums.h"
#include "kernels/features/columns.h"
#include "kernels/lists/local_quantiles.h"
#include "kernels/lists/running.h"
#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"

namespace beatscan::features {
namespace {

constexpr double kShortestRrS = 0.2, kLongestRrS = 3;  // of measures of fibrillation

// Lists of K values that columns are made of.
enum IntervalList : int {
  kMedians,  // of kMedianReaches; the second one is the local median
  kQuantileLists = kMedians + 3,
  kMeanLists = kQuantileLists + 3,
  kChangeLists = kMeanLists + 3,
  kChangeMedians = kChangeLists + 3,
  kSquares = kChangeMedians + 3,
  kMeanSquares,
  kMeanRatios,
  kAddedUp,  // the intervals, and whether each is premature
  kPremature = kAddedUp + 1,
  kMeanPremature,
  kLimitedRr,  // and the others of fibrillation
  kLimitedMedian,
  kOne,
  kTwo,
  kLeast,
  kAbove,                        // three limits of changes
  kProducts = kAbove + 3,        // of a ratio - 1 with that of 0, 1 and 2 beats before
  kMedianLists = kProducts + 3,  // of the first five measures, then the means of kAbove and kProducts
  kIntervalLists = kMedianLists + 11
};

// Returns the list that a measure of fibrillation is made of.
BEATSCAN_HOST_DEVICE constexpr int list_of(int measure) { return kMedianLists + measure; }

struct IntervalLists {
  double* values;
  std::int64_t beats;

  BEATSCAN_HOST_DEVICE double* list(int which) const { return values + which * beats; }
  std::span<double> of(int which) const { return {list(which), static_cast<std::size_t>(beats)}; }
};

// Writes what follows from the local medians.
struct WriteRatios {
  IntervalLists lists;
  const double *rr, *median;
  double* ratio;

  BEATSCAN_HOST_DEVICE double change(const double* of, const double* near, std::int64_t i, int lag) const {
    return std::abs(of[i] - neighbour_of(of, lists.beats, i, -lag)) / near[i];
  }
  BEATSCAN_HOST_DEVICE double own_ratio(std::int64_t i) const {
    return lists.list(kLimitedRr)[i] / lists.list(kLimitedMedian)[i] - 1;
  }

  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    ratio[i] = rr[i] / median[i];
    lists.list(kAddedUp)[i] = rr[i];
    for (int k = 0; k < kLags; ++k) lists.list(kChangeLists + k)[i] = change(rr, median, i, k + 1);
    lists.list(kSquares)[i] = ratio[i] * ratio[i];
    lists.list(kPremature)[i] = ratio[i] < kPrematureRatio ? 1 : 0;
    const double *limited = lists.list(kLimitedRr), *near = lists.list(kLimitedMedian);
    const double one = change(limited, near, i, 1), two = change(limited, near, i, 2),
                 least = lesser(lesser(one, two), change(limited, near, i, 3));
    lists.list(kOne)[i] = one;
    lists.list(kTwo)[i] = two;
    lists.list(kLeast)[i] = least;
    lists.list(kAbove)[i] = one > 0.04 ? 1 : 0;
    lists.list(kAbove + 1)[i] = least > 0.03 ? 1 : 0;
    lists.list(kAbove + 2)[i] = one > 0.25 ? 1 : 0;
    const double own = own_ratio(i);
    for (int lag = 0; lag < 3; ++lag) lists.list(kProducts + lag)[i] = own * own_ratio(i < lag ? 0 : i - lag);
  }
};

// Writes the columns of fibrillation of a beat.
struct WriteFibrillation {
  IntervalLists lists;
  ColumnsView out;
  FibrillationOdds odds;

  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    double measures[kFibrillationMeasures];
    for (int k = 0; k <= kChangeLag2; ++k) measures[k] = std::log(lists.list(list_of(k))[i] + 0.004);
    const double* means = lists.list(list_of(kChangingShare));
    for (int k = 0; k < 3; ++k) measures[kChangingShare + k] = means[k * lists.beats + i];
    const double power = means[3 * lists.beats + i] + 1e-4;
    measures[kCorrelationLag1] = means[4 * lists.beats + i] / power;
    measures[kCorrelationLag2] = means[5 * lists.beats + i] / power;
    measures[kPower] = std::log(power);
    double sum = odds.intercept;
    for (int k = 0; k < kFibrillationMeasures; ++k) {
      const auto& of = odds.weights[k];
      sum += of.weight * (measures[k] - of.mean) / of.deviation;
      out.set(k, i, measures[k]);
    }
    out.set(kFibrillationLogOdds, i, within(sum, -odds.most_odds, odds.most_odds));
  }
};

// All intervals of the recording.
struct AllIntervals {
  const double *sorted, *sums;  // sums of the intervals, and of premature ones
  std::int64_t beats;

  BEATSCAN_HOST_DEVICE double quantile(double q) const {
    const double place = q * static_cast<double>(beats - 1);
    const auto below = static_cast<std::int64_t>(place);
    if (below + 1 == beats) return sorted[below];
    return interpolate(sorted[below], sorted[below + 1], place - static_cast<double>(below));
  }
  BEATSCAN_HOST_DEVICE double rank(double rr) const {
    return (static_cast<double>(first_not_below(sorted, beats, rr)) + 0.5) / static_cast<double>(beats);
  }
};

// Writes the columns of a beat's interval against others.
struct WriteIntervals {
  IntervalLists lists;
  ColumnsView out;
  AllIntervals all;
  const double *rr, *median, *ratio;

  BEATSCAN_HOST_DEVICE double median_of(int k, std::int64_t i) const {
    return k == 1 ? median[i] : lists.list(kMedians + k)[i];
  }

  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t beats = lists.beats;
    const double own = rr[i], next = neighbour_of(rr, beats, i, 1), of_recording = all.quantile(0.5);
    out.set(kRr, i, own);
    out.set(kRrMedian, i, of_recording);
    out.set(kRrRecording, i, std::log(own / of_recording));
    out.set(kRrRecordingMean, i, std::log(own / (all.sums[0] / static_cast<double>(beats))));
    out.set(kRrRank, i, all.rank(own));
    for (int k = 0; k < 3; ++k) {
      out.set(kRrLocal + 2 * k, i, std::log(own / median_of(k, i)));
      out.set(kRrLocal + 2 * k + 1, i, std::log(next / median_of(k, i)));
      out.set(kRrQuantile + k, i, std::log(own / lists.list(kQuantileLists + k)[i]));
      out.set(kRrMean + k, i, std::log(own / lists.list(kMeanLists + k)[i]));
      out.set(kRrChangeLag + k, i, lists.list(kChangeMedians + k)[i]);
    }
    out.set(kRrPrevious, i, std::log(own / neighbour_of(rr, beats, i, -1)));
    out.set(kRrNext, i, std::log(own / next));
    out.set(kRrPair, i, std::log((own + next) / (2 * median[i])));
    for (int k = 0; k < 3; ++k) out.set(kRrBefore3 + k, i, std::log(neighbour_of(ratio, beats, i, k - 3)));
    for (int k = 0; k < 2; ++k) out.set(kRrAfter2 + k, i, std::log(neighbour_of(ratio, beats, i, k + 2)));
    const double mean = lists.list(kMeanRatios)[i];
    out.set(kRrSpread, i, std::sqrt(larger(lists.list(kMeanSquares)[i] - mean * mean, 0.0)));
    out.set(kPrematureShareLocal, i, lists.list(kMeanPremature)[i]);
    out.set(kPrematureShare, i, all.sums[1] / static_cast<double>(beats));
    out.set(kRrRecordingQ90, i, all.quantile(0.9) / of_recording);
    out.set(kRrRecordingQ10, i, all.quantile(0.1) / of_recording);
  }
};

std::vector<RunningQuantiles> medians_of_intervals(std::span<const double> rr, const IntervalLists& lists,
                                                   std::span<double> median) {
  return {{.values = rr, .reach = kMedianReaches[0], .quantiles = {{0.5, lists.of(kMedians)}}},
          {.values = rr, .reach = kMedianReaches[1], .quantiles = {{0.5, median}}},
          {.values = rr, .reach = kMedianReaches[2], .quantiles = {{0.5, lists.of(kMedians + 2)}}},
          {.values = rr,
           .reach = 10,
           .quantiles = {{kQuantiles[0], lists.of(kQuantileLists)},
                         {kQuantiles[1], lists.of(kQuantileLists + 1)},
                         {kQuantiles[2], lists.of(kQuantileLists + 2)}}},
          {.values = lists.of(kLimitedRr), .reach = 16, .quantiles = {{0.5, lists.of(kLimitedMedian)}}}};
}

std::vector<RunningQuantiles> medians_of_changes(const IntervalLists& lists) {
  std::vector<RunningQuantiles> all;
  const auto add = [&](int from, int reach, int to) {
    all.push_back({.values = lists.of(from), .reach = reach, .quantiles = {{0.5, lists.of(to)}}});
  };
  for (int k = 0; k < 3; ++k) add(kChangeLists + k, 16, kChangeMedians + k);
  add(kLeast, 8, list_of(kLeastChange8));
  add(kOne, 8, list_of(kChange8));
  add(kLeast, 24, list_of(kLeastChange24));
  add(kOne, 24, list_of(kChange24));
  add(kTwo, 16, list_of(kChangeLag2));
  return all;
}

std::vector<RunningMeans> means_of_intervals(std::span<const double> rr, std::span<const double> ratio,
                                             const IntervalLists& lists) {
  std::vector<RunningMeans> all;
  for (int k = 0; k < 3; ++k) all.push_back({rr, kMeanReaches[k], lists.of(kMeanLists + k)});
  all.push_back({lists.of(kSquares), 16, lists.of(kMeanSquares)});
  all.push_back({ratio, 16, lists.of(kMeanRatios)});
  all.push_back({lists.of(kPremature), 16, lists.of(kMeanPremature)});
  for (int k = 0; k < 3; ++k) all.push_back({lists.of(kAbove + k), 16, lists.of(list_of(kChangingShare + k))});
  for (int k = 0; k < 3; ++k) all.push_back({lists.of(kProducts + k), 20, lists.of(list_of(kChangingShare + 3 + k))});
  return all;
}

}  // namespace

void interval_columns(BackEnd& context, std::span<const double> rr_s, const FibrillationOdds& odds,
                      const LocalIntervals& local, std::span<float> columns) {
  const auto beats = static_cast<std::int64_t>(rr_s.size());
  BEATSCAN_EXPECTS(local.median_s.size() == rr_s.size() && local.ratio.size() == rr_s.size() &&
                       static_cast<std::int64_t>(columns.size()) == kRrColumns * beats,
                   "interval_columns: bad shape");
  if (beats == 0) return;
  Buffer<double, BackEnd> memory(context, kIntervalLists * beats);
  const IntervalLists lists{memory.data(), beats};
  each(context, beats, [rr = rr_s.data(), limited = lists.list(kLimitedRr)] BEATSCAN_DEVICE(std::int64_t i) {
    limited[i] = within(rr[i], kShortestRrS, kLongestRrS);
  });
  running_quantiles(context, medians_of_intervals(rr_s, lists, local.median_s));
  each(context, beats, WriteRatios{lists, rr_s.data(), local.median_s.data(), local.ratio.data()}, 1024);
  running_quantiles(context, medians_of_changes(lists));
  running_means(context, means_of_intervals(rr_s, local.ratio, lists));
  Buffer<double, BackEnd> sums(context, 2 * (kGroups + 1));
  beat_sums(context, {}, {lists.list(kAddedUp), static_cast<std::size_t>(2 * beats)}, sums);
  const auto in_order = sorted(context, rr_s);
  const auto own = columns.first(kIntervalColumns * beats);
  each(context, beats,
       WriteIntervals{lists, view_of(own, kIntervalColumns, beats),
                      AllIntervals{in_order.data(), sums.data() + 2 * kGroups, beats}, rr_s.data(),
                      local.median_s.data(), local.ratio.data()},
       1024);
  each(context, beats,
       WriteFibrillation{lists, view_of(columns.subspan(own.size()), kFibrillationColumns, beats), odds}, 1024);
}

}  // namespace beatscan::features
