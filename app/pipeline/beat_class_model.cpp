#include "app/pipeline/beat_class_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "app/common/sha256.h"
#include "app/pipeline/builtin_models.h"
#include "app/pipeline/model_document.h"
#include "kernels/classify/tree_sums.h"
#include "stages/classify/beat_classes.h"
#include "stages/classify/beat_table.h"

namespace beatscan {
namespace {

constexpr int kVersion = 3;
constexpr std::array kClassNames = {"N", "S", "V", "X"};
// Within these limits, no posterior of a chain is 0 in double precision.
constexpr double kMostOdds = 30, kMostSlope = 3, kMostOfPair = 20;
static_assert(kClassNames.size() == kPosteriorClasses);
constexpr const char* kAdvice =
    "give classify.model a file of scripts/train_classifier, or nothing for the built-in model";

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

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
    if (!holds(of_table, name) && (first_round || !holds(of_context, name)))
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
  if (!std::ranges::all_of(trees.leaf, [](float value) { return std::isfinite(value); }))
    document.refuse("damaged: a leaf is not finite");
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

// The digest covers these parts as Python serialises them.
std::string digest_of(const Json& document) {
  nlohmann::json parts;  // sorts its keys
  for (const char* part : {"af_weight", "calibration", "chain", "most_odds", "series"}) parts[part] = document.at(part);
  return sha256_of(python_text(parts));
}

BeatClassModel model_of(const ModelDocument& document) {
  const Json& json = document.json;
  document.check_form("beatscan beat classes", kVersion, "a model of beat classes");
  if (json.at("classes") != Json(kClassNames)) document.refuse("its classes are not N, S, V and X");
  BeatClassModel model;
  model.sha256 = json.at("sha256").get<std::string>();
  if (digest_of(json) != model.sha256)
    document.refuse("damaged: its numbers do not have the digest that the file gives");
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

}  // namespace

BeatClassModel parse_beat_class_model(const std::string& text, const std::string& source) {
  BeatClassModel model;
  parse_model_document(text, source, kAdvice, [&](const ModelDocument& document) { model = model_of(document); });
  return model;
}

BeatClassModel beat_class_model(const std::filesystem::path& path) {
  if (path.empty()) {
    static const BeatClassModel builtin = parse_beat_class_model(kBuiltinClassModel, "models/beat_class.json");
    return builtin;
  }
  return parse_beat_class_model(read_model_text(path, kAdvice), path.string());
}

}  // namespace beatscan
