#include "stages/classify/beat_classes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "stages/features/accepted_intervals.h"
#include "stages/features/beat_intervals.h"
#include "stages/features/beat_table.h"
#include "stages/features/column_groups.h"

namespace beatscan {
namespace {

constexpr int kOdds = kBeatClasses - 1;  // S, V, X against N
constexpr int kLocalBeats = 10;
constexpr double kAside = 0.5, kMostAside = 0.6;
constexpr std::int64_t kGrain = 512;
constexpr std::size_t kMostTemplates = 256;  // their numbers are bytes

using Odds = std::vector<std::array<double, kOdds>>;               // [K]
using Posteriors = std::vector<std::array<double, kBeatClasses>>;  // [K]

Posteriors posteriors_of(const Odds& odds) {
  Posteriors found(odds.size());
  for (std::size_t i = 0; i < odds.size(); ++i) {
    const double most = std::max(std::ranges::max(odds[i]), 0.0);
    double sum = 0;
    for (int c = 0; c < kBeatClasses; ++c) sum += found[i][c] = std::exp((c > 0 ? odds[i][c - 1] : 0) - most);
    for (double& p : found[i]) p /= sum;
  }
  return found;
}

// Where the values of an input lie: that of beat i is values[i * stride].
struct Source {
  const float* values;
  std::size_t stride;
};

// The columns that a round reads, [K] each, by their names: those of the table, and those that are made.
class Inputs {
 public:
  explicit Inputs(const BeatFeatures& table) : table_(table), width_(table.columns.size()) {
    for (std::size_t c = 0; c < width_; ++c) place_of_[table.columns[c].name] = c;
  }
  void set(const std::string& name, std::vector<float> values) { made_[name] = std::move(values); }

  Source source_of(const std::string& name) const {
    if (const auto made = made_.find(name); made != made_.end()) return {made->second.data(), 1};
    const auto found = place_of_.find(name);
    if (found == place_of_.end())
      throw Error(ErrorKind::input, "the model of beat classes reads the column '" + name + "', which is unknown");
    return {table_.values.data() + found->second, width_};
  }
  std::vector<float> column(const std::string& name) const {
    const Source source = source_of(name);
    std::vector<float> values(beats());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = source.values[i * source.stride];
    return values;
  }
  std::vector<Source> sources_of(const std::vector<std::string>& names) const {
    std::vector<Source> sources;
    for (const auto& name : names) sources.push_back(source_of(name));
    return sources;
  }
  std::size_t beats() const { return table_.values.size() / width_; }

 private:
  const BeatFeatures& table_;
  std::size_t width_;
  std::map<std::string, std::size_t> place_of_;
  std::map<std::string, std::vector<float>> made_;
};

// Returns the leaf that a beat comes to in tree t.
float leaf_of(const ClassTrees& trees, std::size_t t, const std::vector<Source>& sources, std::size_t beat) {
  const std::int32_t split = trees.first_split[t];
  if (split == (t + 1 < trees.first_split.size() ? trees.first_split[t + 1] : std::ssize(trees.feature)))
    return trees.leaf[trees.first_leaf[t]];  // a tree without a split
  int at = 0;
  while (at >= 0) {
    const Source& source = sources[trees.feature[split + at]];
    const float value = source.values[beat * source.stride];
    const bool left = std::isnan(value) ? trees.nan_left[split + at] != 0 : value <= trees.threshold[split + at];
    at = left ? trees.left[split + at] : trees.right[split + at];
  }
  return trees.leaf[trees.first_leaf[t] - 1 - at];
}

// Returns log(1 + exp(x)), which is -log(1 - p) where x are the log odds of p.
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

Odds odds_of(const ClassTrees& trees, const std::vector<Source>& sources, const std::vector<float>& af_log_odds,
             double af_weight, double most_odds) {
  const std::size_t beats = af_log_odds.size();
  Odds odds(beats);
  parallel_for(Cpu(), static_cast<std::int64_t>(beats), kGrain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      std::array<double, kBeatClasses> sums{};
      for (std::size_t t = 0; t < trees.first_split.size(); ++t)
        sums[t % kBeatClasses] += leaf_of(trees, t, sources, i);
      sums[kClassS] -= af_weight * softplus(af_log_odds[i]);
      for (int c = 0; c < kOdds; ++c) odds[i][c] = std::clamp(sums[c + 1] - sums[0], -most_odds, most_odds);
    }
  });
  return odds;
}

template <class Value>
std::vector<float> floats_of(std::size_t beats, const Value& value) {
  std::vector<float> values(beats);
  parallel_for(Cpu(), static_cast<std::int64_t>(beats), kGrain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) values[i] = static_cast<float>(value(i));
  });
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

// Sets the reference RR interval by what is set aside.
void set_reference(const Posteriors& posteriors, Inputs& inputs) {
  const auto of_table = inputs.column("rr_s");
  const std::vector<double> rr_s(of_table.begin(), of_table.end());
  std::vector<std::uint8_t> aside(rr_s.size());
  for (std::size_t i = 0; i < aside.size(); ++i) aside[i] = posteriors[i][kClassV] + posteriors[i][kClassX] > kAside;
  if (static_cast<double>(std::ranges::count(aside, 1)) > kMostAside * static_cast<double>(aside.size()))
    std::ranges::fill(aside, 0);
  FeatureColumns columns(std::ssize(rr_s));
  add_accepted_columns(rr_s, accepted_intervals(rr_s, aside), columns);
  for (FeatureColumn& column : columns.take()) inputs.set(column.name, std::move(column.values));
}

void set_context(const Odds& odds, const Posteriors& posteriors, Inputs& inputs) {
  const std::size_t beats = odds.size();
  const auto templates = inputs.column("template");
  for (const auto& [letter, c] : {std::pair("s", kClassS), std::pair("v", kClassV), std::pair("x", kClassX)}) {
    const std::string name = letter;
    std::vector<double> own, p;
    double sum = 0;
    for (std::size_t i = 0; i < beats; ++i) {
      own.push_back(odds[i][c - 1]);
      p.push_back(posteriors[i][c]);
      sum += p.back();
    }
    const auto local = means_around(p, kLocalBeats);
    inputs.set(name + "_share_local", floats_of(beats, [&](std::int64_t i) { return local[i]; }));
    inputs.set(name + "_share", floats_of(beats, [&](std::int64_t) { return sum / static_cast<double>(beats); }));
    inputs.set(name + "_odds_template", template_means(own, templates));
    for (const int by : {-2, -1, 1, 2})
      inputs.set(name + (by < 0 ? "_odds_before" : "_odds_after") + std::to_string(std::abs(by)),
                 floats_of(beats, [&](std::int64_t i) { return neighbour(own, i, by); }));
  }
}

Odds odds_of_series(const BeatFeatures& table, const ClassSeries& series, double af_weight, double most_odds) {
  Inputs inputs(table);
  const auto af_log_odds = inputs.column("af_log_odds");
  Odds odds(inputs.beats());
  for (const ClassTrees& trees : series) {
    if (&trees != &series.front()) {
      const auto posteriors = posteriors_of(odds);
      set_reference(posteriors, inputs);
      set_context(odds, posteriors, inputs);
    }
    odds = odds_of(trees, inputs.sources_of(trees.inputs), af_log_odds, af_weight, most_odds);
  }
  return odds;
}

// Returns the log odds of V or X against N and S together.
double against_rest(const std::array<double, kOdds>& odds, int c) { return odds[c - 1] - softplus(odds[kClassS - 1]); }

}  // namespace

std::vector<float> class_posteriors(const BeatFeatures& table, const ClassModel& model) {
  Odds noise, clean;
  run_together([&] { noise = odds_of_series(table, model.noise, 0, model.most_odds); },
               [&] { clean = odds_of_series(table, model.clean, model.af_weight, model.most_odds); });
  Odds odds(noise.size());
  for (std::size_t i = 0; i < odds.size(); ++i) {
    odds[i] = {clean[i][kClassS - 1], against_rest(noise[i], kClassV), against_rest(noise[i], kClassX)};
    for (int c = 0; c < kOdds; ++c) odds[i][c] = model.calibration[c].slope * odds[i][c] + model.calibration[c].offset;
    const double rest = softplus(odds[i][kClassS - 1]);
    odds[i][kClassV - 1] += rest;
    odds[i][kClassX - 1] += rest;
  }
  std::vector<float> found;
  for (const auto& p : posteriors_of(odds)) found.insert(found.end(), p.begin(), p.end());
  return found;
}

}  // namespace beatscan
