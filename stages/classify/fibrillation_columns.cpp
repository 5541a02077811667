#include <algorithm>
#include <array>
#include <cmath>

#include "stages/classify/accepted_intervals.h"
#include "stages/classify/columns.h"

namespace beatscan {

namespace {

constexpr double kLeastRrS = 0.2, kMostRrS = 3;
constexpr int kMeasures = 11;

// Logistic regression on the MIT-BIH Atrial Fibrillation Database, of AFIB against all other rhythms but flutter, by
// scripts/classify/fibrillation.py, which prints these lines. Each measure is standardised by its mean and deviation.
// Out of fold by record: AUROC 0.981, sensitivity 0.955 and specificity 0.939 at odds of 1.
struct Weight {
  double mean, deviation, weight;
};
constexpr std::array<Weight, kMeasures> kWeights{{
    {-3.59713, 1.00341, -0.144278},
    {-2.8431, 1.22609, 0.0217446},
    {-3.60678, 0.966404, 1.78663},
    {-2.85308, 1.19699, 0.738068},
    {-2.73441, 1.13679, -1.62448},
    {0.486786, 0.374428, 2.70419},
    {0.39898, 0.325678, 2.68341},
    {0.20568, 0.208879, -0.770091},
    {0.0545525, 0.28931, 1.04434},
    {0.0147267, 0.238455, 0.113583},
    {-4.88721, 2.19458, -0.146879},
}};
constexpr double kIntercept = -2.092, kMostOdds = 6;

// Changes of the RR interval over `lag` beats, over the local median.
std::vector<double> changes(std::span<const double> rr, const std::vector<double>& near, int lag) {
  return of_each_beat(std::ssize(rr),
                      [&](std::int64_t i) { return std::abs(rr[i] - neighbour(rr, i, -lag)) / near[i]; });
}

std::vector<double> shares_above(const std::vector<double>& values, double limit) {
  return means_around(of_each_beat(std::ssize(values), [&](std::int64_t i) { return values[i] > limit; }), 16);
}

std::vector<double> log_medians(const std::vector<double>& values, int reach) {
  const auto medians = quantiles_around(values, reach, 0.5);
  return of_each_beat(std::ssize(values), [&](std::int64_t i) { return std::log(medians[i] + 0.004); });
}

// Returns the local autocorrelation of RR / local median - 1 at `lag` beats.
std::vector<double> self_correlation(const std::vector<double>& ratio, const std::vector<double>& power, int lag) {
  const std::int64_t beats = std::ssize(ratio);
  const auto means =
      means_around(of_each_beat(beats, [&](std::int64_t i) { return ratio[i] * neighbour(ratio, i, -lag); }), 20);
  return of_each_beat(beats, [&](std::int64_t i) { return means[i] / power[i]; });
}

struct Measure {
  const char *name, *text;
  std::vector<double> values;
};

std::vector<Measure> measures_of(std::span<const double> intervals) {
  const std::int64_t beats = std::ssize(intervals);
  const auto rr = of_each_beat(beats, [&](std::int64_t i) { return std::clamp(intervals[i], kLeastRrS, kMostRrS); });
  const auto near = quantiles_around(rr, 16, 0.5);
  const auto one = changes(rr, near, 1), two = changes(rr, near, 2), three = changes(rr, near, 3);
  const auto least = of_each_beat(beats, [&](std::int64_t i) { return std::min({one[i], two[i], three[i]}); });
  const auto ratio = of_each_beat(beats, [&](std::int64_t i) { return rr[i] / near[i] - 1; });
  auto power = means_around(of_each_beat(beats, [&](std::int64_t i) { return ratio[i] * ratio[i]; }), 20);
  each_beat(beats, [&](std::int64_t i) { power[i] += 1e-4; });
  return {
      {"af_least_change8", "log of the median of the least change over 1 to 3 beats, 8 beats on either side",
       log_medians(least, 8)},
      {"af_change8", "log of the median change over 1 beat, 8 beats on either side", log_medians(one, 8)},
      {"af_least_change24", "the least change over 24 beats on either side", log_medians(least, 24)},
      {"af_change24", "the change over 1 beat, 24 beats on either side", log_medians(one, 24)},
      {"af_change_lag2", "log of the median change over 2 beats, 16 beats on either side", log_medians(two, 16)},
      {"af_changing_share", "share of changes above 4 %, 16 beats on either side", shares_above(one, 0.04)},
      {"af_irregular_share", "share of least changes above 3 %, 16 beats on either side", shares_above(least, 0.03)},
      {"af_jump_share", "share of changes above 25 %, 16 beats on either side", shares_above(one, 0.25)},
      {"af_correlation_lag1", "correlation of RR intervals over 1 beat, 20 beats on either side",
       self_correlation(ratio, power, 1)},
      {"af_correlation_lag2", "the same over 2 beats", self_correlation(ratio, power, 2)},
      {"af_power", "log of the mean square of RR / local median - 1, 20 beats on either side",
       of_each_beat(beats, [&](std::int64_t i) { return std::log(power[i]); })},
  };
}

}  // namespace

void add_fibrillation_columns(std::span<const double> rr_s, FeatureColumns& columns) {
  const auto measures = measures_of(rr_s);
  for (const Measure& measure : measures)
    columns.add(measure.name, "", measure.text, [&](std::int64_t i) { return measure.values[i]; });
  columns.add("af_log_odds", "", "log odds of atrial fibrillation by these measures, within 6", [&](std::int64_t i) {
    double odds = kIntercept;
    for (int k = 0; k < kMeasures; ++k)
      odds += kWeights[k].weight * (measures[k].values[i] - kWeights[k].mean) / kWeights[k].deviation;
    return std::clamp(odds, -kMostOdds, kMostOdds);
  });
}

}  // namespace beatscan
