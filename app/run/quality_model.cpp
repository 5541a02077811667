#include "app/run/quality_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "app/files/sha256.h"
#include "app/run/builtin_models.h"
#include "app/run/model_document.h"

namespace beatscan {
namespace {

constexpr int kVersion = 1;
constexpr const char* kAdvice = "give quality.model a file of scripts/train_quality, or nothing for the built-in model";

std::string digest_of_forests(const Json& document) {
  nlohmann::json parts;  // sorts its keys
  for (const char* part : {"blocks", "calibration", "recordings"}) parts[part] = document.at(part);
  return sha256_of(python_text(parts));
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
}

TrainedQualityModel model_of(const ModelDocument& document) {
  const Json& json = document.json;
  document.check_form("beatscan quality", kVersion, "a model of signal quality");
  check_definition(document);
  TrainedQualityModel model;
  model.sha256 = json.at("sha256").get<std::string>();
  model.date = json.at("date");
  model.blocks = forest_of(document, json.at("blocks"), quality::kClasses, quality::kFeatures);
  model.recordings = forest_of(document, json.at("recordings"), 1, quality::kWindowWidth);
  model.calibration = {json.at("calibration").at("scale").get<double>(),
                       json.at("calibration").at("offset").get<double>()};
  if (digest_of_forests(json) != model.sha256)
    document.refuse("damaged: the forests do not have the digest that the file gives");
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
