#include "app/pipeline/rhythm_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "app/common/sha256.h"
#include "app/pipeline/builtin_models.h"
#include "app/pipeline/model_document.h"
#include "kernels/rhythm/state_sums.h"
#include "stages/classify/beat_table.h"
#include "stages/rhythm/measures.h"

namespace beatscan {
namespace {

constexpr int kRhythmVersion = 2;
constexpr std::array kStatistics = {"mean", "least", "most", "deviation"};
constexpr int kMostReach = 1000, kMostRounds = 100;
constexpr const char* kRhythmAdvice =
    "give rhythm.model a file of scripts/train_rhythm, or nothing for the built-in model";

template <class Value>
bool are_finite(const std::vector<Value>& values) {
  return std::ranges::all_of(values, [](Value value) { return std::isfinite(value); });
}

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
    if (std::ranges::find(kStatistics, its.statistic) == kStatistics.end() || its.reach < 0 || its.reach > kMostReach)
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
  if (recogniser == "waves") return beat_table_names();
  constexpr std::array kOneBeat{0.8};
  const BeatFeatures table = interval_table(kOneBeat);
  std::vector<std::string> names;
  for (const FeatureColumn& column : table.columns) names.push_back(column.name);
  return names;
}

// Refuses the document if a regression reads something other than a measure or a column of its table.
void check_measures(const ModelDocument& document, const RhythmRegression& regression, const std::string& recogniser) {
  static const auto measures = rhythm_measure_names();
  const auto columns = columns_for(recogniser);
  for (const RhythmFeature& feature : regression.features)
    if (std::ranges::find(measures, feature.measure) == measures.end() &&
        std::ranges::find(columns, feature.measure) == columns.end())
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

// The digest covers these parts as Python serialises them.
std::string digest_of(const Json& document) {
  nlohmann::json parts;  // sorts its keys
  for (const char* part : {"decoding", "regressions", "states"}) parts[part] = document.at(part);
  return sha256_of(python_text(parts));
}

TrainedRhythmModel rhythm_model_of(const ModelDocument& document) {
  const Json& json = document.json;
  document.check_form("beatscan rhythm", kRhythmVersion, "a model of rhythms");
  TrainedRhythmModel model;
  model.sha256 = json.at("sha256").get<std::string>();
  if (digest_of(json) != model.sha256)
    document.refuse("damaged: its numbers do not have the digest that the file gives");
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

}  // namespace

TrainedRhythmModel parse_rhythm_model(const std::string& text, const std::string& source) {
  TrainedRhythmModel model;
  parse_model_document(text, source, kRhythmAdvice,
                       [&](const ModelDocument& document) { model = rhythm_model_of(document); });
  return model;
}

TrainedRhythmModel rhythm_model(const std::filesystem::path& path) {
  if (path.empty()) {
    static const TrainedRhythmModel builtin = parse_rhythm_model(kBuiltinRhythmModel, "models/rhythm.json");
    return builtin;
  }
  return parse_rhythm_model(read_model_text(path, kRhythmAdvice), path.string());
}

}  // namespace beatscan
