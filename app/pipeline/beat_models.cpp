// The models of beat classes and of rhythms.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "app/config/config.h"
#include "app/pipeline/builtin_models.h"
#include "app/pipeline/model_document.h"
#include "app/pipeline/models.h"
#include "kernels/classify/tree_sums.h"
#include "kernels/rhythm/rhythm.h"
#include "kernels/runtime/parallel.h"
#include "stages/classify/beat_classes.h"
#include "stages/classify/beat_table.h"
#include "stages/rhythm/measures.h"

namespace beatscan {
namespace {

bool contains(const auto& names, const std::string& name) { return std::ranges::find(names, name) != names.end(); }

constexpr std::array kClassNames = {"N", "S", "V", "X"};
// Within these limits, no posterior of a chain is 0 in double precision.
constexpr double kMostOdds = 30, kMostSlope = 3, kMostOfPair = 20;
static_assert(kClassNames.size() == kPosteriorClasses);

// Returns whether the splits and leaves of tree t lie in the arrays, and each child follows its split, so that each
// beat reaches a leaf.
bool is_sound_tree(const ClassTrees& trees, std::size_t t) {
  const auto end_of = [&](const std::vector<std::int32_t>& firsts, std::size_t all) {
    return t + 1 < firsts.size() ? std::int64_t{firsts[t + 1]} : static_cast<std::int64_t>(all);
  };
  const std::int64_t split = trees.first_split[t], splits = end_of(trees.first_split, trees.feature.size()) - split,
                     leaf = trees.first_leaf[t], leaves = end_of(trees.first_leaf, trees.leaf.size()) - leaf;
  if (split < 0 || leaf < 0 || splits < 0 || leaves != splits + 1 || leaves > kMostLeaves ||
      split + splits > std::ssize(trees.feature) || leaf + leaves > std::ssize(trees.leaf))
    return false;
  for (std::int64_t i = 0; i < splits; ++i)
    for (const int child : {trees.left[split + i], trees.right[split + i]})
      if (child >= 0 ? child <= i || child >= splits : -1 - child >= leaves) return false;
  return true;
}

// Refuses the document if a round reads a column that does not exist.
void check_inputs(const ModelDocument& document, const ClassTrees& trees, bool first_round) {
  static const auto of_table = beat_table_names(), of_context = class_context_names();
  for (const std::string& name : trees.inputs)
    if (!contains(of_table, name) && (first_round || !contains(of_context, name)))
      document.refuse("reads the unknown column '" + name + "'");
}

void check_trees(const ModelDocument& document, const ClassTrees& trees) {
  const std::size_t splits = trees.feature.size();
  bool sound = trees.first_split.size() % kPosteriorClasses == 0 && !trees.first_split.empty() &&
               trees.first_leaf.size() == trees.first_split.size() && trees.threshold.size() == splits &&
               trees.left.size() == splits && trees.right.size() == splits && trees.nan_left.size() == splits;
  for (std::size_t t = 0; sound && t < trees.first_split.size(); ++t) sound = is_sound_tree(trees, t);
  if (!sound) document.refuse("damaged: a tree is incomplete");
  const auto inputs = std::ssize(trees.inputs);
  if (!std::ranges::all_of(trees.feature, [=](std::int16_t its) { return 0 <= its && its < inputs; }))
    document.refuse("damaged: a tree reads an input that the model does not name");
  if (std::ranges::any_of(trees.threshold, [](float value) { return std::isnan(value); }))
    document.refuse("damaged: a threshold is not a number");
  if (!are_finite(trees.leaf)) document.refuse("damaged: a leaf is not finite");
}

ClassTrees trees_of(const ModelDocument& document, const Json& round) {
  ClassTrees trees{.inputs = round.at("inputs").get<std::vector<std::string>>(),
                   .first_split = values_of<std::int32_t>(document, round.at("first_split")),
                   .first_leaf = values_of<std::int32_t>(document, round.at("first_leaf")),
                   .feature = values_of<std::int16_t>(document, round.at("feature")),
                   .threshold = values_of<float>(document, round.at("threshold")),
                   .left = values_of<std::int8_t>(document, round.at("left")),
                   .right = values_of<std::int8_t>(document, round.at("right")),
                   .nan_left = values_of<std::uint8_t>(document, round.at("nan_left")),
                   .leaf = values_of<float>(document, round.at("leaf"))};
  check_trees(document, trees);
  return trees;
}

ClassSeries series_of(const ModelDocument& document, const Json& rounds) {
  if (!rounds.is_array() || rounds.empty()) document.refuse("a series has no round");
  ClassSeries series;
  for (const Json& round : rounds) {
    series.push_back(trees_of(document, round));
    check_inputs(document, series.back(), series.size() == 1);
  }
  return series;
}

ClassChain chain_of(const ModelDocument& document, const Json& json) {
  ClassChain chain;
  chain.slope = {json.at("slope").at("V").get<double>(), json.at("slope").at("X").get<double>()};
  chain.pair = json.at("pair").get<decltype(chain.pair)>();
  const auto has_all = [](const Json& list) { return list.size() == std::size_t{kChainStates}; };
  if (!has_all(json.at("pair")) || !std::ranges::all_of(json.at("pair"), has_all))
    document.refuse("damaged: the chain has other states than this version of beatscan");
  return chain;
}

BeatClassModel beat_class_model_of(const ModelDocument& document) {
  const Json& json = document.json;
  if (json.at("classes") != Json(kClassNames)) document.refuse("its classes are not N, S, V and X");
  BeatClassModel model;
  model.sha256 = document.checked_digest({"af_weight", "calibration", "chain", "most_odds", "series"});
  model.noise = series_of(document, json.at("series").at("noise"));
  model.clean = series_of(document, json.at("series").at("clean"));
  for (const int c : {kClassS, kClassV, kClassX}) {
    const Json& calibration = json.at("calibration").at(kClassNames[c]);
    model.calibration[c - 1] = {calibration.at("slope").get<double>(), calibration.at("offset").get<double>()};
  }
  model.most_odds = json.at("most_odds").get<double>();
  model.af_weight = json.at("af_weight").get<double>();
  bool sound = model.most_odds > 0 && model.most_odds <= kMostOdds && model.af_weight >= 0 &&
               std::isfinite(model.most_odds + model.af_weight);
  for (const OddsCalibration& its : model.calibration)
    sound = sound && its.slope > 0 && std::isfinite(its.slope + its.offset);
  model.chain = chain_of(document, json.at("chain"));
  for (const double its : model.chain.slope) sound = sound && its > 0 && its <= kMostSlope;
  for (const auto& row : model.chain.pair)
    for (const double its : row) sound = sound && std::abs(its) <= kMostOfPair;
  if (!sound) document.refuse("damaged: a limit, a weight, a calibration or the chain is out of range");
  return model;
}

constexpr ModelForm<BeatClassModel> kClassForm{
    {"beatscan beat classes", 3, "a model of beat classes", "classify.model", "train_classifier"},
    kBuiltinClassModel,
    "models/beat_class.json",
    beat_class_model_of};

constexpr std::array kStatistics = {"mean", "least", "most", "deviation"};
constexpr int kMostReach = 1000, kMostRounds = 100;
template <class Value>
bool are_above_0(const std::vector<Value>& values) {
  return are_finite(values) && std::ranges::all_of(values, [](Value value) { return value > 0; });
}

RhythmRegression regression_of(const ModelDocument& document, const Json& json, std::size_t states) {
  RhythmRegression regression{.features = {},
                              .mean = values_of<float>(document, json.at("mean")),
                              .deviation = values_of<float>(document, json.at("deviation")),
                              .weight = values_of<float>(document, json.at("weight")),
                              .intercept = values_of<float>(document, json.at("intercept")),
                              .training_prior = json.at("training_prior").get<std::vector<double>>()};
  for (const Json& feature : json.at("features")) {
    regression.features.push_back(
        {feature.at(0).get<std::string>(), feature.at(1).get<std::string>(), feature.at(2).get<int>()});
    const RhythmFeature& its = regression.features.back();
    if (!contains(kStatistics, its.statistic) || its.reach < 0 || its.reach > kMostReach)
      document.refuse("a feature is not a statistic of a window");
  }
  const std::size_t features = regression.features.size();
  const bool fits = features > 0 && regression.mean.size() == features && regression.deviation.size() == features &&
                    regression.weight.size() == features * states && regression.intercept.size() == states &&
                    regression.training_prior.size() == states;
  if (!fits) document.refuse("damaged: the parts of a regression do not have the same size");
  if (!are_finite(regression.mean) || !are_above_0(regression.deviation) || !are_finite(regression.weight) ||
      !are_finite(regression.intercept) || !are_above_0(regression.training_prior))
    document.refuse("damaged: a number of a regression is out of range");
  return regression;
}

// Returns the columns of the table for a recogniser of this name.
std::vector<std::string> columns_for(const std::string& recogniser) {
  return recogniser == "waves" ? beat_table_names() : interval_table_names();
}

// Refuses the document if a regression reads something other than a measure or a column of its table.
void check_measures(const ModelDocument& document, const RhythmRegression& regression, const std::string& recogniser) {
  static const auto measures = rhythm_measure_names();
  const auto columns = columns_for(recogniser);
  for (const RhythmFeature& feature : regression.features)
    if (!contains(measures, feature.measure) && !contains(columns, feature.measure))
      document.refuse("'" + recogniser + "' reads the unknown column '" + feature.measure + "'");
}

// Returns 1 for the states in a list of names.
std::vector<std::uint8_t> named_states(const ModelDocument& document, const Json& names,
                                       const std::vector<std::string>& states) {
  std::vector<std::uint8_t> named(states.size());
  for (const auto& name : names.get<std::vector<std::string>>()) {
    const auto place = std::ranges::find(states, name) - states.begin();
    if (place == std::ssize(states)) document.refuse("decides the rhythm " + name + ", which it does not name");
    named[place] = 1;
  }
  return named;
}

// Returns a source: its prior, and the parameters and the rhythms of a decoder.
RhythmSource source_of(const ModelDocument& document, const std::vector<std::string>& states, const std::string& name,
                       const std::string& decoder) {
  const Json &decoding = document.json.at("decoding"), &prior = decoding.at("priors").at(name),
             &settings = decoding.at("settings").at(decoder);
  RhythmSource source{.prior = prior.get<std::vector<double>>(),
                      .temperature = settings.at("temperature").get<double>(),
                      .balance = settings.at("balance").get<double>(),
                      .stay = settings.at("stay").get<double>(),
                      .prior_beats = settings.at("prior_beats").get<double>(),
                      .rounds = settings.at("rounds").get<int>(),
                      .decides = named_states(document, decoding.at("decides").at(decoder), states)};
  const bool sound = source.prior.size() == states.size() && are_above_0(source.prior) && source.temperature > 0 &&
                     source.balance >= 0 && source.balance <= 1 && source.stay >= 0 && source.stay < 1 &&
                     source.prior_beats >= 0 && source.rounds >= 0 && source.rounds <= kMostRounds &&
                     std::isfinite(source.temperature + source.prior_beats);
  if (!sound) document.refuse("damaged: a number of the decoding is out of range");
  return source;
}

// Returns the recogniser of a name; `decoders` names the decoder of each source.
RhythmRecogniser recogniser_of(const ModelDocument& document, const std::vector<std::string>& states,
                               const std::string& name, const std::array<std::string, kRecordingSources>& decoders) {
  constexpr std::array<const char*, kRecordingSources> kSources = {"strip", "holter", "monitor"};
  RhythmRecogniser recogniser{
      .regression = regression_of(document, document.json.at("regressions").at(name), states.size()), .sources = {}};
  check_measures(document, recogniser.regression, name);
  for (std::size_t s = 0; s < kSources.size(); ++s)
    recogniser.sources[s] = source_of(document, states, kSources[s], decoders[s]);
  return recogniser;
}

TrainedRhythmModel rhythm_model_of(const ModelDocument& document) {
  const Json& json = document.json;
  TrainedRhythmModel model;
  model.sha256 = document.checked_digest({"decoding", "regressions", "states"});
  model.states = json.at("states").get<std::vector<std::string>>();
  if (model.states.empty() || model.states.size() > kMostStates)
    document.refuse("names no rhythms, or more than " + std::to_string(kMostStates));
  model.waves = recogniser_of(document, model.states, "waves", {"strip", "holter", "monitor"});
  model.intervals = recogniser_of(document, model.states, "intervals", {"intervals", "intervals", "intervals"});
  model.strip_s = json.at("decoding").at("strip_s").get<double>();
  model.confidence_temperature = json.at("decoding").at("confidence_temperature").get<double>();
  if (!(model.confidence_temperature > 0)) document.refuse("damaged: the temperature of the confidence is not above 0");
  return model;
}

constexpr ModelForm<TrainedRhythmModel> kRhythmForm{
    {"beatscan rhythm", 2, "a model of rhythms", "rhythm.model", "train_rhythm"},
    kBuiltinRhythmModel,
    "models/rhythm.json",
    rhythm_model_of};

}  // namespace

BeatClassModel parse_beat_class_model(const std::string& text, const std::string& source) {
  return kClassForm.parse(text, source);
}

BeatClassModel beat_class_model(const std::filesystem::path& path) { return kClassForm.at(path); }

TrainedRhythmModel parse_rhythm_model(const std::string& text, const std::string& source) {
  return kRhythmForm.parse(text, source);
}

TrainedRhythmModel rhythm_model(const std::filesystem::path& path) { return kRhythmForm.at(path); }

Models read_models(const Config& config) {
  Models models;
  run_together([&] { models.waves = wave_model(config.waves.model); },
               [&] { models.quality = quality_model(config.quality.model); },
               [&] { models.classes = beat_class_model(config.classify.model); },
               [&] { models.rhythms = rhythm_model(config.rhythm_model.model); });
  return models;
}

}  // namespace beatscan
