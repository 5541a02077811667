#include "app/pipeline/quality_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "app/common/sha256.h"
#include "app/pipeline/builtin_models.h"
#include "app/pipeline/model_document.h"

namespace beatscan {
namespace {

constexpr int kVersion = 1;
constexpr const char* kAdvice = "give quality.model a file of scripts/train_quality, or nothing for the built-in model";

// Checks the digest of everything that the program computes with.
void check_digest(const ModelDocument& document) {
  nlohmann::json parts;  // sorts its keys
  for (const char* name : {"blocks", "calibration", "recordings"}) parts[name] = document.json.at(name);
  for (const char* name : {"forest", "chain"}) parts["fibrillation"][name] = document.json.at("fibrillation").at(name);
  if (sha256_of(python_text(parts)) != document.json.at("sha256").get<std::string>())
    document.refuse("damaged: the forests do not have the digest that the file gives");
}

// Returns the numbers of all trees, one tree after another. Refuses a tree of another size.
template <class Number>
std::vector<Number> numbers_of(const ModelDocument& document, const Json& trees, std::size_t of_tree) {
  std::vector<Number> numbers;
  for (const Json& tree : trees) {
    if (!tree.is_array() || tree.size() != of_tree) document.refuse("a tree has another size than its depth");
    for (const Json& number : tree) numbers.push_back(number.get<Number>());
  }
  return numbers;
}

quality::ForestModel forest_of(const ModelDocument& document, const Json& json, int classes, std::size_t features) {
  quality::ForestModel forest{.depth = json.at("depth").get<int>(),
                              .classes = json.at("classes").get<int>(),
                              .feature = {},
                              .threshold = {},
                              .value = {}};
  if (forest.depth < 1 || forest.depth > quality::kMostDepth)
    document.refuse("trees of depth " + std::to_string(forest.depth) + " instead of 1 to " +
                    std::to_string(quality::kMostDepth));
  if (forest.classes != classes) document.refuse("a forest has another number of classes");
  const auto nodes = static_cast<std::size_t>(forest.nodes());
  forest.feature = numbers_of<std::int32_t>(document, json.at("feature"), nodes);
  forest.threshold = numbers_of<float>(document, json.at("threshold"), nodes);
  forest.value = numbers_of<float>(document, json.at("value"), nodes + 1);
  const auto trees = static_cast<std::size_t>(forest.trees());
  if (trees < 1 || trees > quality::kMostTrees || trees % classes != 0 || forest.feature.size() != trees * nodes ||
      forest.threshold.size() != trees * nodes)
    document.refuse("the parts of a forest do not have the same number of trees");
  const auto is_feature = [&](std::int32_t of) { return of >= 0 && of < static_cast<std::int32_t>(features); };
  const auto is_finite = [](float number) { return std::isfinite(number); };
  if (!std::ranges::all_of(forest.feature, is_feature)) document.refuse("a tree asks for an unknown feature");
  if (!std::ranges::all_of(forest.threshold, is_finite) || !std::ranges::all_of(forest.value, is_finite))
    document.refuse("a number is not finite");
  return forest;
}

// Checks that the model was trained for the features of this program.
void check_definition(const ModelDocument& document) {
  const Json expected = {{"values_a_second", quality::kValuesHz},
                         {"block_values", quality::kBlockValues},
                         {"features", quality::kFeatureNames},
                         {"classes", {"good", "noise", "lost"}},
                         {"recording_window_blocks", quality::kWindowBlocks},
                         {"recording_features", quality::kWindowFeatures}};
  for (const auto& [key, value] : expected.items())
    if (document.json.at("definition").at(key) != value)
      document.refuse("trained for another '" + key + "' than this version of beatscan has");
  if (document.json.at("fibrillation").at("context_blocks") != quality::kFibrillationReach)
    document.refuse("trained for another 'context_blocks' than this version of beatscan has");
}

// Returns a number of an object. Throws where it is not finite.
double number_of(const ModelDocument& document, const Json& json, const char* name) {
  const double number = json.at(name).get<double>();
  if (!std::isfinite(number)) document.refuse("a number is not finite");
  return number;
}

FibrillationModel fibrillation_of(const ModelDocument& document, const Json& json) {
  const auto of_chain = [&](const char* name) { return number_of(document, json.at("chain"), name); };
  FibrillationModel model{.scale = of_chain("scale"),
                          .offset = of_chain("offset"),
                          .begins = of_chain("begins"),
                          .ends = of_chain("ends"),
                          .starts = of_chain("starts")};
  const auto is_probability = [](double p) { return p > 0 && p < 1; };
  if (!is_probability(model.begins) || !is_probability(model.ends) || !is_probability(model.starts))
    document.refuse("not a probability");
  return model;
}

TrainedQualityModel model_of(const ModelDocument& document) {
  const Json& json = document.json;
  document.check_form("beatscan quality", kVersion, "a model of signal quality");
  if (!json.contains("fibrillation")) document.refuse("without fibrillation: scripts/train_fibrillation adds it");
  check_definition(document);
  TrainedQualityModel model;
  model.sha256 = json.at("sha256").get<std::string>();
  model.date = json.at("date");
  model.blocks = forest_of(document, json.at("blocks"), quality::kClasses, quality::kFeatures);
  model.recordings = forest_of(document, json.at("recordings"), 1, quality::kWindowWidth);
  const Json& calibration = json.at("calibration");
  model.calibration = {number_of(document, calibration, "scale"), number_of(document, calibration, "offset")};
  const Json& fibrillation = json.at("fibrillation");
  model.fibrillation = forest_of(document, fibrillation.at("forest"), 1, quality::kFibrillationWidth);
  model.fibrillation_model = fibrillation_of(document, fibrillation);
  check_digest(document);
  return model;
}

}  // namespace

TrainedQualityModel parse_quality_model(const std::string& text, const std::string& source) {
  TrainedQualityModel model;
  parse_model_document(text, source, kAdvice, [&](const ModelDocument& document) { model = model_of(document); });
  return model;
}

TrainedQualityModel quality_model(const std::filesystem::path& path) {
  if (path.empty()) {
    static const TrainedQualityModel builtin = parse_quality_model(kBuiltinQualityModel, "models/quality.json");
    return builtin;
  }
  return parse_quality_model(read_model_text(path, kAdvice), path.string());
}

}  // namespace beatscan
