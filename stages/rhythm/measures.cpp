#include "stages/rhythm/measures.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "kernels/runtime/error.h"
#include "stages/classify/accepted_intervals.h"
#include "stages/classify/beat_table.h"
#include "stages/classify/class_chain.h"
#include "stages/classify/columns.h"

namespace beatscan {

namespace {

using Values = std::vector<double>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kShortestS = 0.2, kLongestS = 3;
constexpr int kLocalBeats = 8;
constexpr double kLongestRun = 8;

// Returns 0 at `start`, 1 at `end` and in between in proportion; NaN of NaN.
double ramp(double value, double start, double end) { return std::clamp((value - start) / (end - start), 0.0, 1.0); }

void add_intervals(const Values& rr, RhythmMeasures& measures) {
  const std::int64_t count = std::ssize(rr);
  const auto local = quantiles_around(rr, kLocalBeats, 0.5);
  const auto add = [&](const char* name, const auto& value) { measures[name] = of_each_beat<float>(count, value); };
  const auto change = [&](std::int64_t i, int lag) {
    return std::min(std::abs(rr[i] - neighbour(rr, i, -lag)) / local[i], 1.0);
  };
  add("log_rr", [&](auto i) { return std::log(rr[i]); });
  const auto ratio = of_each_beat(count, [&](auto i) { return std::clamp(rr[i] / local[i] - 1, -1.0, 1.5); });
  add("ratio", [&](auto i) { return ratio[i]; });
  add("departure", [&](auto i) { return std::abs(ratio[i]); });
  for (const int lag : {1, 2, 3})
    measures["change" + std::to_string(lag)] = of_each_beat<float>(count, [&](auto i) { return change(i, lag); });
  add("least_change", [&](auto i) { return std::min({change(i, 1), change(i, 2), change(i, 3)}); });
  add("premature", [&](auto i) { return ramp(rr[i] / local[i], 0.9, 0.75); });
  const auto pause = of_each_beat(count, [&](auto i) { return ramp(rr[i] / local[i], 1.2, 1.5); });
  add("pause", [&](auto i) { return pause[i]; });
  add("double", [&](auto i) { return std::exp(-std::pow((rr[i] / local[i] - 2) / 0.12, 2)); });
  add("fast", [&](auto i) { return ramp(rr[i], 0.6, 0.4); });
  add("slow", [&](auto i) { return ramp(rr[i], 1.2, 1.8); });
  add("shortening", [&](auto i) {
    const bool beside = pause[i] > 0 || neighbour(pause, i, -1) > 0;
    return beside ? 0 : std::clamp((neighbour(rr, i, -1) - rr[i]) / local[i], -0.3, 0.3);
  });
  add("correlation1", [&](auto i) { return std::clamp(ratio[i] * neighbour(ratio, i, -1), -0.2, 0.2); });
  add("correlation2", [&](auto i) { return std::clamp(ratio[i] * neighbour(ratio, i, -2), -0.2, 0.2); });
}

// Returns the expected number of beats in a row around each beat whose posteriors are p.
std::vector<float> run_lengths(const Values& p) {
  Values before(p), after(p);
  for (std::size_t i = 1; i < p.size(); ++i) before[i] = p[i] * (1 + before[i - 1]);
  for (std::size_t i = p.size() - 1; i-- > 0;) after[i] = p[i] * (1 + after[i + 1]);
  return of_each_beat<float>(std::ssize(p), [&](auto i) { return std::min(before[i] + after[i] - p[i], kLongestRun); });
}

// Returns how far each beat belongs to a pattern of one abnormal beat in `period`.
std::vector<float> pattern(const Values& abnormal, int period) {
  return of_each_beat<float>(std::ssize(abnormal), [&](auto i) {
    double most = 0;
    for (int shift = 0; shift < period; ++shift) {
      double product = 1;
      for (int by = -shift; by <= period - shift; ++by) {
        const double p = neighbour(abnormal, i, by);
        product *= (by + shift) % period == 0 ? p : 1 - p;
      }
      if (!(product <= most)) most = product;  // NaN remains
    }
    return most;
  });
}

// Returns the posterior of a class of each beat; NaN where the classes are not known.
Values of_class(std::span<const float> posteriors, std::int64_t count, int which) {
  return of_each_beat(count, [&](auto i) {
    return posteriors.empty() ? kNan : static_cast<double>(posteriors[i * kPosteriorClasses + which]);
  });
}

void add_classes(std::span<const float> posteriors, const Values& rr, RhythmMeasures& measures) {
  const std::int64_t count = std::ssize(rr);
  const auto s = of_class(posteriors, count, kClassS), v = of_class(posteriors, count, kClassV);
  const auto add = [&](const char* name, const auto& value) { measures[name] = of_each_beat<float>(count, value); };
  const auto x = of_class(posteriors, count, kClassX);
  for (const auto& [name, p] : {std::pair("s", &s), std::pair("v", &v), std::pair("x", &x)})
    measures[name].assign(p->begin(), p->end());
  add("s_pair", [&](auto i) { return s[i] * neighbour(s, i, -1); });
  add("v_pair", [&](auto i) { return v[i] * neighbour(v, i, -1); });
  measures["v_run"] = run_lengths(v), measures["s_run"] = run_lengths(s);
  const auto pair = [&](std::int64_t i) { return v[i] * std::max(neighbour(v, i, -1), neighbour(v, i, 1)); };
  add("v_fast", [&](auto i) { return pair(i) * ramp(rr[i], 0.8, 0.5); });
  add("v_slow", [&](auto i) { return pair(i) * (1 - ramp(rr[i], 0.8, 0.5)); });
  const auto abnormal = of_each_beat(count, [&](auto i) { return s[i] + v[i]; });
  measures["bigeminy"] = pattern(abnormal, 2), measures["trigeminy"] = pattern(abnormal, 3);
}

// Adds changes of RR intervals that premature beats or P waves do not or do explain.
void add_irregular(std::span<const float> posteriors, const Values& evidence, RhythmMeasures& measures) {
  const auto& change = measures["least_change"];
  const std::int64_t count = std::ssize(change);
  const auto normal = of_class(posteriors, count, kClassN);
  const auto of_normal = of_each_beat(
      count, [&](auto i) { return change[i] * normal[i] * neighbour(normal, i, -1) * neighbour(normal, i, -2); });
  const auto add = [&](const char* name, const auto& value) { measures[name] = of_each_beat<float>(count, value); };
  add("change_normal", [&](auto i) { return of_normal[i]; });
  add("change_without_p", [&](auto i) { return change[i] * (1 - evidence[i]); });
  add("change_with_p", [&](auto i) { return change[i] * evidence[i]; });
  add("change_neither", [&](auto i) { return of_normal[i] * (1 - evidence[i]); });
}

void add_waves(const std::function<Values(const char*)>& column, RhythmMeasures& measures) {
  const auto evidence = column("p_evidence"), pr = column("pr_ms"), extra = column("non_conducted_p"),
             wide = column("qrs_ms_ratio");
  const auto& pause = measures["pause"];
  const std::int64_t count = std::ssize(pr);
  const auto median = known_medians(pr, kLocalBeats);
  const auto add = [&](const char* name, const auto& value) { measures[name] = of_each_beat<float>(count, value); };
  const auto within = [](double value, double least, double most) { return std::clamp(value, least, most); };
  const auto step = [&](std::int64_t i) { return within((pr[i] - neighbour(pr, i, -1)) / 100, -1, 1); };
  const auto above0 = [](double value) { return std::isnan(value) ? kNan : std::max(value, 0.0); };
  const auto at_most = [](double value, double most) { return std::isnan(value) ? kNan : std::min(value, most); };
  add("p_absent", [&](auto i) { return std::isfinite(evidence[i]) ? evidence[i] < 0.2 : kNan; });
  add("p_present", [&](auto i) { return std::isfinite(evidence[i]) ? evidence[i] > 0.6 : kNan; });
  add("pr_short", [&](auto i) { return above0(120 - pr[i]) / 40; });
  add("pr_long", [&](auto i) { return above0(pr[i] - 200) / 100; });
  add("pr_growth", [&](auto i) { return pause[i] > 0 ? kNan : step(i); });
  add("pr_drop", [&](auto i) { return pause[i] > 0 ? -step(i) : 0 * step(i); });
  add("pr_scatter", [&](auto i) { return at_most(std::abs(pr[i] - median[i]) / 100, 1); });
  add("pause_p", [&](auto i) { return pause[i] * at_most(extra[i], 2); });
  add("pause_no_p", [&](auto i) { return pause[i] * (1 - at_most(extra[i], 1)); });
  add("between_p", [&](auto i) { return (1 - pause[i]) * at_most(extra[i], 2); });
  add("late_p", [&](auto i) { return pause[i] * evidence[i]; });
  add("late_no_p", [&](auto i) { return pause[i] * (1 - evidence[i]); });
  add("late_wide", [&](auto i) { return pause[i] * within(wide[i], -1, 1); });
}

}  // namespace

RhythmMeasures rhythm_measures(const BeatFeatures& table, std::span<const float> posteriors) {
  const std::int64_t count = table.beats();
  const std::function<Values(const char*)> column = [&](const char* name) {
    const FeatureColumn* found = table.column(name);
    return found ? Values(found->values.begin(), found->values.end()) : Values(count, kNan);
  };
  RhythmMeasures measures;
  Values rr = column("rr_s");
  for (double& value : rr) value = std::clamp(value, kShortestS, kLongestS);
  add_intervals(rr, measures);
  add_classes(posteriors, rr, measures);
  add_irregular(posteriors, column("p_evidence"), measures);
  add_waves(column, measures);
  return measures;
}

std::vector<std::string> rhythm_measure_names() {  // of a single beat
  std::vector<std::string> names;
  for (const auto& [name, values] : rhythm_measures({{{"rr_s", "s", "", {0.8F}}}}, {})) names.push_back(name);
  return names;
}

WindowStatistic window_statistic(const std::string& name) {
  if (name == "mean") return WindowStatistic::mean;
  if (name == "most") return WindowStatistic::most;
  if (name == "least") return WindowStatistic::least;
  if (name == "deviation") return WindowStatistic::deviation;
  throw Error(ErrorKind::input, "the rhythm model has an unknown statistic " + name);
}

BlockWindows::BlockWindows(std::span<const float> measure, std::int64_t first, std::int64_t last, int reach)
    : reach_(reach),
      values_(last - first + 2 * reach, std::numeric_limits<float>::quiet_NaN()),
      sums_(values_.size() + 1),
      squares_(sums_.size()),
      counts_(sums_.size()) {
  const std::int64_t low = std::max<std::int64_t>(first - reach, 0), high = std::min(last + reach, std::ssize(measure));
  std::copy(measure.begin() + low, measure.begin() + high, values_.begin() + (low - (first - reach)));
  for (std::size_t j = 0; j < values_.size(); ++j) {
    const bool exists = std::isfinite(values_[j]);
    const double value = exists ? values_[j] : 0;
    sums_[j + 1] = sums_[j] + value;
    squares_[j + 1] = squares_[j] + value * value;
    counts_[j + 1] = counts_[j] + exists;
  }
}

void BlockWindows::write(WindowStatistic statistic, int reach, std::span<float> found) const {
  BEATSCAN_EXPECTS(0 <= reach && reach <= reach_ && found.size() + 2 * reach_ == values_.size(),
                   "BlockWindows: bad reach or shape");
  if (statistic == WindowStatistic::most || statistic == WindowStatistic::least)
    return write_extremes(statistic, reach, found);
  const std::int64_t from = reach_ - reach, to = reach_ + reach + 1;
  const bool deviates = statistic == WindowStatistic::deviation;
  for (std::int64_t i = 0; i < std::ssize(found); ++i) {
    const double count = counts_[i + to] - counts_[i + from];  // 0 / 0 is NaN
    const double mean = (sums_[i + to] - sums_[i + from]) / count;
    const double variance = (squares_[i + to] - squares_[i + from]) / count - mean * mean;
    found[i] = static_cast<float>(deviates ? std::sqrt(variance < 0 ? 0 : variance) : mean);
  }
}

void BlockWindows::write_extremes(WindowStatistic statistic, int reach, std::span<float> found) const {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float sign = statistic == WindowStatistic::most ? 1 : -1;
  std::vector<float> signed_values(values_.size());
  for (std::size_t j = 0; j < values_.size(); ++j)
    signed_values[j] = std::isfinite(values_[j]) ? sign * values_[j] : -kInfinity;
  std::ranges::fill(found, -kInfinity);
  for (int by = -reach; by <= reach; ++by) {
    const float* beside = &signed_values[reach_ + by];
    for (std::size_t i = 0; i < found.size(); ++i) found[i] = std::max(found[i], beside[i]);
  }
  for (float& value : found) value = value == -kInfinity ? std::numeric_limits<float>::quiet_NaN() : sign * value;
}

}  // namespace beatscan
