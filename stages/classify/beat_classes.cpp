#include "stages/classify/beat_classes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <type_traits>

#include "kernels/runtime/beside.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "stages/classify/accepted_intervals.h"
#include "stages/classify/beat_table.h"
#include "stages/classify/class_chain.h"
#include "stages/classify/columns.h"

namespace beatscan {
namespace {

constexpr int kOdds = kPosteriorClasses - 1;  // S, V, X against N
constexpr int kLocalBeats = 10;
constexpr double kAside = 0.5, kMostAside = 0.6;
constexpr std::size_t kMostTemplates = 256;  // their numbers are bytes

using Odds = std::vector<std::array<double, kOdds>>;                    // [K]
using Posteriors = std::vector<std::array<double, kPosteriorClasses>>;  // [K]

Posteriors posteriors_of(const Odds& odds) {
  Posteriors found(odds.size());
  each_beat(std::ssize(odds), [&](std::int64_t i) {
    const double most = std::max(std::ranges::max(odds[i]), 0.0);
    double sum = 0;
    for (int c = 0; c < kPosteriorClasses; ++c) sum += found[i][c] = std::exp((c > 0 ? odds[i][c - 1] : 0) - most);
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
  return of_each_beat<float>(std::ssize(values), [&](std::int64_t i) {
    if (std::isnan(templates[i])) return values[i];
    const auto number = static_cast<std::size_t>(templates[i]);
    return sums[number] / counts[number];
  });
}

// Adds the columns relative to the reference RR interval, from which beats are excluded by their posteriors.
void add_reference_columns(const BeatFeatures& table, const Posteriors& posteriors, FeatureColumns& columns) {
  const auto& of_table = values_of(table, "rr_s");
  const std::vector<double> rr_s(of_table.begin(), of_table.end());
  auto aside = of_each_beat<std::uint8_t>(
      columns.beats(), [&](std::int64_t i) { return posteriors[i][kClassV] + posteriors[i][kClassX] > kAside; });
  if (static_cast<double>(std::ranges::count(aside, 1)) > kMostAside * static_cast<double>(aside.size()))
    std::ranges::fill(aside, 0);
  add_accepted_columns(rr_s, accepted_intervals(rr_s, aside), columns);
}

// Adds what the neighbours, the template and the recording suggest about a class.
void add_context_columns(const std::string& name, int c, const BeatFeatures& table, const Odds& odds,
                         const Posteriors& posteriors, FeatureColumns& columns) {
  const std::int64_t beats = columns.beats();
  const auto own = of_each_beat(beats, [&](std::int64_t i) { return odds[i][c - 1]; });
  const auto p = of_each_beat(beats, [&](std::int64_t i) { return posteriors[i][c]; });
  const auto local = means_around(p, kLocalBeats);
  const double share = std::accumulate(p.begin(), p.end(), 0.0) / static_cast<double>(beats);
  const auto of_template = template_means(own, values_of(table, "template"));
  columns.add(name + "_share_local", "", "", [&](std::int64_t i) { return local[i]; });
  columns.add(name + "_share", "", "", [&](std::int64_t) { return share; });
  columns.add(name + "_odds_template", "", "", [&](std::int64_t i) { return of_template[i]; });
  for (const int by : {-2, -1, 1, 2})
    columns.add(name + (by < 0 ? "_odds_before" : "_odds_after") + std::to_string(std::abs(by)), "", "",
                [&](std::int64_t i) { return neighbour(own, i, by); });
}

FeatureColumns context_columns(const BeatFeatures& table, const Odds& odds, const Posteriors& posteriors) {
  const FeatureColumns none(std::ssize(odds));
  FeatureColumns s = none, v = none, x = none;
  run_together([&] { add_context_columns("s", kClassS, table, odds, posteriors, s); },
               [&] { add_context_columns("v", kClassV, table, odds, posteriors, v); },
               [&] { add_context_columns("x", kClassX, table, odds, posteriors, x); });
  s.append(std::move(v));
  s.append(std::move(x));
  return s;
}

// Returns the columns that follow from the previous round.
std::vector<FeatureColumn> round_columns(const BeatFeatures& table, const Odds& odds) {
  const auto posteriors = posteriors_of(odds);
  FeatureColumns reference(std::ssize(odds)), around(std::ssize(odds));
  run_together([&] { add_reference_columns(table, posteriors, reference); },
               [&] { around = context_columns(table, odds, posteriors); });
  reference.append(std::move(around));
  return reference.take();
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
  Buffer<double, Context> on_device(context, std::ssize(af_log_odds) * kPosteriorClasses);
  tree_sums(context, load_trees(context, boosted_trees(trees)), inputs, on_device);
  const auto sums = to_host(context, on_device);
  Odds odds(af_log_odds.size());
  each_beat(std::ssize(odds), [&](std::int64_t i) {
    const double* of = &sums[i * kPosteriorClasses];
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
    if (&trees != &series.front()) made = round_columns(table, odds);
    odds = odds_of(context, trees, of_table, made, af_log_odds, af_weight, most_odds);
  }
  return odds;
}

// The two series are independent of each other.
template <class First, class Second>
void run_both(Cpu& cpu, const First& first, const Second& second) {
  run_together([&] { first(cpu); }, [&] { second(cpu); });
}
template <class First, class Second>
void run_both(Cuda& cuda, const First& first, const Second& second) {
  run_concurrently(cuda, first, second);
}

// Returns the log odds of V or X against N and S together.
double against_rest(const std::array<double, kOdds>& odds, int c) { return odds[c - 1] - softplus(odds[kClassS - 1]); }

}  // namespace

std::vector<std::string> class_context_names() {  // of a table without beats
  const auto columns = context_columns({{{"template", "", "", {}}}}, {}, {});
  std::vector<std::string> names;
  for (const FeatureColumn& column : columns.all()) names.push_back(column.name);
  return names;
}

template <class Context>
std::vector<float> class_posteriors(Context& context, const BeatFeatures& table, const ClassModel& model) {
  const auto loaded = loaded_columns(context, table, model);
  Odds noise, clean;
  run_both(
      context, [&](Context& on) { noise = odds_of_series(on, table, loaded, model.noise, 0, model.most_odds); },
      [&](Context& on) { clean = odds_of_series(on, table, loaded, model.clean, model.af_weight, model.most_odds); });
  const auto chained = chain_odds(
      of_each_beat<ChainOdds>(std::ssize(noise),
                              [&](std::int64_t i) {
                                return ChainOdds{against_rest(noise[i], kClassV), against_rest(noise[i], kClassX)};
                              }),
      model.chain);
  Odds odds(noise.size());
  each_beat(std::ssize(odds), [&](std::int64_t i) {
    odds[i] = {clean[i][kClassS - 1], chained[i][0], chained[i][1]};
    for (int c = 0; c < kOdds; ++c) odds[i][c] = model.calibration[c].slope * odds[i][c] + model.calibration[c].offset;
    const double rest = softplus(odds[i][kClassS - 1]);
    odds[i][kClassV - 1] += rest;
    odds[i][kClassX - 1] += rest;
  });
  const auto posteriors = posteriors_of(odds);
  std::vector<float> found(posteriors.size() * kPosteriorClasses);
  each_beat(std::ssize(posteriors),
            [&](std::int64_t i) { std::ranges::copy(posteriors[i], &found[i * kPosteriorClasses]); });
  return found;
}

#define BEATSCAN_CLASS_POSTERIORS(Context) \
  template std::vector<float> class_posteriors(Context&, const BeatFeatures&, const ClassModel&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_CLASS_POSTERIORS)

}  // namespace beatscan
