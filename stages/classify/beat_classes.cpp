#include "stages/classify/beat_classes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <type_traits>

#include "kernels/runtime/beside.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "stages/classify/tree_order.h"
#include "stages/features/accepted_intervals.h"
#include "stages/features/beat_intervals.h"
#include "stages/features/beat_table.h"
#include "stages/features/column_groups.h"

namespace beatscan {
namespace {

constexpr int kOdds = kBeatClasses - 1;  // S, V, X against N
constexpr int kLocalBeats = 10;
constexpr double kAside = 0.5, kMostAside = 0.6;
constexpr std::int64_t kGrain = 2048;
constexpr std::size_t kMostTemplates = 256;  // their numbers are bytes

using Odds = std::vector<std::array<double, kOdds>>;               // [K]
using Posteriors = std::vector<std::array<double, kBeatClasses>>;  // [K]

// Calls work(i) for each beat, side by side.
template <class Work>
void each_beat(std::size_t beats, const Work& work) {
  parallel_for(Cpu(), static_cast<std::int64_t>(beats), kGrain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) work(i);
  });
}

Posteriors posteriors_of(const Odds& odds) {
  Posteriors found(odds.size());
  each_beat(odds.size(), [&](std::int64_t i) {
    const double most = std::max(std::ranges::max(odds[i]), 0.0);
    double sum = 0;
    for (int c = 0; c < kBeatClasses; ++c) sum += found[i][c] = std::exp((c > 0 ? odds[i][c - 1] : 0) - most);
    for (double& p : found[i]) p /= sum;
  });
  return found;
}

// Columns by their names, in the context's memory. On the CPU they stay where they are.
template <class Context>
class LoadedColumns {
 public:
  void add(Context& context, const FeatureColumn& column) {
    if constexpr (std::is_same_v<Context, Cpu>)
      places_[column.name] = column.values.data();
    else
      places_[column.name] = kept_.emplace_back(from_host(context, column.values)).data();
  }
  const float* find(const std::string& name) const {
    const auto found = places_.find(name);
    return found == places_.end() ? nullptr : found->second;
  }

 private:
  std::map<std::string, const float*> places_;
  std::vector<Buffer<float, Context>> kept_;
};

const std::vector<float>& values_of(const BeatFeatures& table, const std::string& name) {
  const FeatureColumn* column = table.column(name);
  if (!column)
    throw Error(ErrorKind::input, "the model of beat classes reads the column '" + name + "', which is unknown");
  return column->values;
}

// Loads the columns of the table that a model reads.
template <class Context>
LoadedColumns<Context> loaded_columns(Context& context, const BeatFeatures& table, const ClassModel& model) {
  LoadedColumns<Context> loaded;
  for (const ClassSeries* series : {&model.noise, &model.clean})
    for (const ClassTrees& trees : *series)
      for (const auto& name : trees.inputs)
        if (const FeatureColumn* column = table.column(name); column && !loaded.find(name))
          loaded.add(context, *column);
  return loaded;
}

// Returns log(1 + exp(x)), which is -log(1 - p) where x are the log odds of p.
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

template <class Value>
std::vector<float> floats_of(std::size_t beats, const Value& value) {
  std::vector<float> values(beats);
  each_beat(beats, [&](std::int64_t i) { values[i] = static_cast<float>(value(i)); });
  return values;
}

// Returns the mean of the values of the beats of the same template; a beat without one keeps its own.
std::vector<float> template_means(const std::vector<double>& values, const std::vector<float>& templates) {
  std::vector<double> sums(kMostTemplates), counts(kMostTemplates);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(templates[i])) continue;
    const auto number = static_cast<std::size_t>(templates[i]);
    BEATSCAN_EXPECTS(number < kMostTemplates, "template_means: a number of a template is too large");
    sums[number] += values[i];
    counts[number] += 1;
  }
  return floats_of(values.size(), [&](std::int64_t i) {
    if (std::isnan(templates[i])) return values[i];
    const auto number = static_cast<std::size_t>(templates[i]);
    return sums[number] / counts[number];
  });
}

// Returns columns against the reference RR interval by what is set aside.
std::vector<FeatureColumn> reference_columns(const BeatFeatures& table, const Posteriors& posteriors) {
  const auto& of_table = values_of(table, "rr_s");
  const std::vector<double> rr_s(of_table.begin(), of_table.end());
  std::vector<std::uint8_t> aside(rr_s.size());
  for (std::size_t i = 0; i < aside.size(); ++i) aside[i] = posteriors[i][kClassV] + posteriors[i][kClassX] > kAside;
  if (static_cast<double>(std::ranges::count(aside, 1)) > kMostAside * static_cast<double>(aside.size()))
    std::ranges::fill(aside, 0);
  FeatureColumns columns(std::ssize(rr_s));
  add_accepted_columns(rr_s, accepted_intervals(rr_s, aside), columns);
  return columns.take();
}

// Returns the columns of the context.
std::vector<FeatureColumn> context_columns(const BeatFeatures& table, const Odds& odds, const Posteriors& posteriors) {
  const std::size_t beats = odds.size();
  const auto& templates = values_of(table, "template");
  std::vector<FeatureColumn> columns;
  const auto add = [&](const std::string& name, std::vector<float> values) {
    columns.push_back({name, "", "", std::move(values)});
  };
  for (const auto& [letter, c] : {std::pair("s", kClassS), std::pair("v", kClassV), std::pair("x", kClassX)}) {
    const std::string name = letter;
    std::vector<double> own(beats), p(beats);
    double sum = 0;
    for (std::size_t i = 0; i < beats; ++i) {
      own[i] = odds[i][c - 1];
      sum += p[i] = posteriors[i][c];
    }
    const auto local = means_around(p, kLocalBeats);
    add(name + "_share_local", floats_of(beats, [&](std::int64_t i) { return local[i]; }));
    add(name + "_share", std::vector(beats, static_cast<float>(sum / static_cast<double>(beats))));
    add(name + "_odds_template", template_means(own, templates));
    for (const int by : {-2, -1, 1, 2})
      add(name + (by < 0 ? "_odds_before" : "_odds_after") + std::to_string(std::abs(by)),
          floats_of(beats, [&](std::int64_t i) { return neighbour(own, i, by); }));
  }
  return columns;
}

// Returns the odds of one round. `made` are columns of the round, before those of the table.
template <class Context>
Odds odds_of(Context& context, const ClassTrees& trees, const LoadedColumns<Context>& of_table,
             const std::vector<FeatureColumn>& made, const std::vector<float>& af_log_odds, double af_weight,
             double most_odds) {
  LoadedColumns<Context> of_round;
  for (const FeatureColumn& column : made) of_round.add(context, column);
  std::vector<const float*> inputs;
  for (const auto& name : trees.inputs) {
    const float* own = of_round.find(name);
    inputs.push_back(own ? own : of_table.find(name));
    if (!inputs.back())
      throw Error(ErrorKind::input, "the model of beat classes reads the column '" + name + "', which is unknown");
  }
  Buffer<double, Context> on_device(context, std::ssize(af_log_odds) * kBeatClasses);
  tree_sums(context, load_trees(context, boosted_trees(trees)), inputs, on_device);
  const auto sums = to_host(context, on_device);
  Odds odds(af_log_odds.size());
  each_beat(odds.size(), [&](std::int64_t i) {
    const double* of = &sums[i * kBeatClasses];
    for (int c = 0; c < kOdds; ++c) {
      const double less = c + 1 == kClassS ? af_weight * softplus(af_log_odds[i]) : 0;
      odds[i][c] = std::clamp(of[c + 1] - less - of[0], -most_odds, most_odds);
    }
  });
  return odds;
}

template <class Context>
Odds odds_of_series(Context& context, const BeatFeatures& table, const LoadedColumns<Context>& of_table,
                    const ClassSeries& series, double af_weight, double most_odds) {
  const auto& af_log_odds = values_of(table, "af_log_odds");
  Odds odds;
  for (const ClassTrees& trees : series) {
    std::vector<FeatureColumn> made;
    if (&trees != &series.front()) {
      const auto posteriors = posteriors_of(odds);
      made = reference_columns(table, posteriors);
      std::ranges::move(context_columns(table, odds, posteriors), std::back_inserter(made));
    }
    odds = odds_of(context, trees, of_table, made, af_log_odds, af_weight, most_odds);
  }
  return odds;
}

// The series need nothing of each other.
template <class First, class Second>
void run_both(Cpu& cpu, const First& first, const Second& second) {
  run_together([&] { first(cpu); }, [&] { second(cpu); });
}
template <class First, class Second>
void run_both(Cuda& cuda, const First& first, const Second& second) {
  run_beside(cuda, first, second);
}

// Returns the log odds of V or X against N and S together.
double against_rest(const std::array<double, kOdds>& odds, int c) { return odds[c - 1] - softplus(odds[kClassS - 1]); }

}  // namespace

std::vector<std::string> class_context_names() {  // of a table without beats
  const auto columns = context_columns({{{"template", "", "", {}}}}, {}, {});
  std::vector<std::string> names;
  for (const FeatureColumn& column : columns) names.push_back(column.name);
  return names;
}

template <class Context>
std::vector<float> class_posteriors(Context& context, const BeatFeatures& table, const ClassModel& model) {
  const auto loaded = loaded_columns(context, table, model);
  Odds noise, clean;
  run_both(
      context, [&](Context& on) { noise = odds_of_series(on, table, loaded, model.noise, 0, model.most_odds); },
      [&](Context& on) { clean = odds_of_series(on, table, loaded, model.clean, model.af_weight, model.most_odds); });
  Odds odds(noise.size());
  each_beat(odds.size(), [&](std::int64_t i) {
    odds[i] = {clean[i][kClassS - 1], against_rest(noise[i], kClassV), against_rest(noise[i], kClassX)};
    for (int c = 0; c < kOdds; ++c) odds[i][c] = model.calibration[c].slope * odds[i][c] + model.calibration[c].offset;
    const double rest = softplus(odds[i][kClassS - 1]);
    odds[i][kClassV - 1] += rest;
    odds[i][kClassX - 1] += rest;
  });
  const auto posteriors = posteriors_of(odds);
  std::vector<float> found(posteriors.size() * kBeatClasses);
  each_beat(posteriors.size(), [&](std::int64_t i) { std::ranges::copy(posteriors[i], &found[i * kBeatClasses]); });
  return found;
}

#define BEATSCAN_CLASS_POSTERIORS(Context) \
  template std::vector<float> class_posteriors(Context&, const BeatFeatures&, const ClassModel&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_CLASS_POSTERIORS)

}  // namespace beatscan
