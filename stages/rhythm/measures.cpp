#include "stages/rhythm/measures.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "kernels/rhythm/rhythm_measures.h"
#include "kernels/runtime/error.h"
#include "stages/classify/beat_findings.h"
#include "stages/rhythm/rhythms.h"

namespace beatscan {

std::vector<std::string> rhythm_measure_names() { return {kBeatMeasureNames.begin(), kBeatMeasureNames.end()}; }

WindowStatistic window_statistic(const std::string& name) {
  if (name == "mean") return WindowStatistic::mean;
  if (name == "most") return WindowStatistic::most;
  if (name == "least") return WindowStatistic::least;
  if (name == "deviation") return WindowStatistic::deviation;
  throw Error(ErrorKind::input, "the rhythm model has an unknown statistic " + name);
}

namespace {

static_assert(kClassN == 0 && kClassS == 1 && kClassV == 2 && kClassX == 3, "the order that beat_measures reads");

// Returns the number of a measure that is not a column; kBeatMeasures of another name.
std::size_t number_of_measure(const std::string& name) {
  return std::ranges::find(kBeatMeasureNames, name) - kBeatMeasureNames.begin();
}

// A regression whose features stand measure by measure.
struct BoundRegression {
  std::vector<std::string> names;  // [M]
  WindowRegression windows;        // without the places of the measures
};

BoundRegression bound_regression(const RhythmRegression& regression) {
  const std::size_t count = regression.features.size(), states = regression.intercept.size();
  BEATSCAN_EXPECTS(states <= kMostStates, "rhythm_log_p: too many states");
  BoundRegression bound;
  std::vector<std::vector<std::size_t>> features;  // [M] of each measure
  for (std::size_t f = 0; f < count; ++f) {
    const std::string& name = regression.features[f].measure;
    const std::size_t place = std::ranges::find(bound.names, name) - bound.names.begin();
    if (place == bound.names.size()) bound.names.push_back(name), features.emplace_back();
    features[place].push_back(f);
  }
  WindowRegression& windows = bound.windows;
  for (auto& of_measure : features) {
    std::ranges::stable_sort(of_measure, {}, [&](std::size_t f) { return regression.features[f].reach; });
    for (const std::size_t f : of_measure) {
      const auto& [name, statistic, reach] = regression.features[f];
      windows.features.push_back({window_statistic(statistic), reach, regression.mean[f], regression.deviation[f]});
      StateValues& weight = windows.weight.emplace_back();
      for (std::size_t s = 0; s < states; ++s) weight[s] = regression.weight[s * count + f];
    }
    windows.first_feature.push_back(static_cast<std::int32_t>(windows.features.size()));
  }
  windows.intercept.fill(-std::numeric_limits<float>::infinity());
  std::ranges::copy(regression.intercept, windows.intercept.begin());
  return bound;
}

// Gives each measure among the names that is not a column a row; returns the number of rows.
std::int64_t number_rows(const std::vector<std::string>& names, MeasureRows& rows) {
  std::int16_t count = 0;
  rows.fill(-1);
  for (const std::string& name : names)
    if (const std::size_t number = number_of_measure(name); number < kBeatMeasures) rows[number] = count++;
  return count;
}

}  // namespace

template <class Context>
Buffer<StateValues, Context> rhythm_log_p(Context& context, std::int64_t beats, const ColumnByName& column,
                                          std::span<const float> posteriors, const RhythmRegression& regression) {
  auto [names, windows] = bound_regression(regression);
  MeasureRows rows;
  Buffer<float, Context> measures(context, number_rows(names, rows) * beats);
  beat_measures(context,
                {column("rr_s"), posteriors, column("p_evidence"), column("pr_ms"), column("non_conducted_p"),
                 column("qrs_ms_ratio")},
                rows, measures);
  for (const std::string& name : names) {
    const std::size_t number = number_of_measure(name);
    const auto values = number < kBeatMeasures ? measures.span().subspan(rows[number] * beats, beats) : column(name);
    if (std::ssize(values) != beats)
      throw Error(ErrorKind::input, "the rhythm model reads the measure '" + name + "', which is unknown");
    windows.measures.push_back(values.data());
  }
  Buffer<StateValues, Context> log_p(context, beats);
  state_log_p(context, windows, log_p);
  return log_p;
}

#define BEATSCAN_RHYTHM_MEASURES(Context)                                                         \
  template Buffer<StateValues, Context> rhythm_log_p(Context&, std::int64_t, const ColumnByName&, \
                                                     std::span<const float>, const RhythmRegression&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_RHYTHM_MEASURES)

}  // namespace beatscan
