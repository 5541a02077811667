#include "app/run/quality_model.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "app/files/sha256.h"
#include "app/files/whole_file.h"
#include "app/run/builtin_models.h"
#include "app/text/json.h"
#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

constexpr int kQualityVersion = 1;
constexpr const char* kQualityAdvice =
    "give quality.model a file of scripts/train_quality, or nothing for the built-in model";

[[noreturn]] void refuse_quality(const std::string& source, const std::string& why) {
  fail(ErrorKind::usage, source, why + "; " + kQualityAdvice);
}

// Returns a number as Python writes it: with as few digits as tell it from others, and with an exponent where that is
// below -4 or above 15.
std::string python_number(double number) {
  const double size = std::abs(number);
  const bool fixed = size == 0 || (size >= 1e-4 && size < 1e16);
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.begin(), digits.end(), number,
                                 fixed ? std::chars_format::fixed : std::chars_format::scientific);
  const std::string text(digits.begin(), end.ptr);
  return fixed && text.find('.') == std::string::npos ? text + ".0" : text;
}

// Returns JSON as Python's json.dumps writes it with sorted keys: the digest is that of this text.
std::string python_text(const nlohmann::json& json) {
  if (json.is_number_float()) return python_number(json.get<double>());
  if (!json.is_structured()) return json.dump();
  std::string text;
  for (const auto& [key, value] : json.items())
    text += (text.empty() ? "" : ", ") + (json.is_object() ? '"' + key + "\": " : "") + python_text(value);
  return json.is_object() ? '{' + text + '}' : '[' + text + ']';
}

std::string digest_of(const Json& document) {
  nlohmann::json parts;  // sorts its keys
  for (const char* part : {"blocks", "calibration", "recordings"}) parts[part] = document.at(part);
  return sha256_of(python_text(parts));
}

// Returns the numbers of all trees, one tree after the other, each with as many as it must have.
template <class Number>
std::vector<Number> numbers_of(const Json& trees, std::size_t of_tree, const std::string& source) {
  std::vector<Number> numbers;
  for (const Json& tree : trees) {
    if (!tree.is_array() || tree.size() != of_tree) refuse_quality(source, "a tree has another size than its depth");
    for (const Json& number : tree) numbers.push_back(number.get<Number>());
  }
  return numbers;
}

quality::ForestModel forest_of(const Json& json, int classes, std::size_t features, const std::string& source) {
  quality::ForestModel forest{.depth = json.at("depth").get<int>(),
                              .classes = json.at("classes").get<int>(),
                              .feature = {},
                              .threshold = {},
                              .value = {}};
  if (forest.depth < 1 || forest.depth > quality::kMostDepth)
    refuse_quality(source, "trees of depth " + std::to_string(forest.depth) + " instead of 1 to " +
                               std::to_string(quality::kMostDepth));
  if (forest.classes != classes) refuse_quality(source, "a forest has another number of classes");
  const auto nodes = static_cast<std::size_t>(forest.nodes());
  forest.feature = numbers_of<std::int32_t>(json.at("feature"), nodes, source);
  forest.threshold = numbers_of<float>(json.at("threshold"), nodes, source);
  forest.value = numbers_of<float>(json.at("value"), nodes + 1, source);
  const auto trees = static_cast<std::size_t>(forest.trees());
  if (trees < 1 || trees > quality::kMostTrees || trees % classes != 0 || forest.feature.size() != trees * nodes ||
      forest.threshold.size() != trees * nodes)
    refuse_quality(source, "the parts of a forest do not have the same number of trees");
  const auto is_feature = [&](std::int32_t of) { return of >= 0 && of < static_cast<std::int32_t>(features); };
  const auto is_finite = [](float number) { return std::isfinite(number); };
  if (!std::ranges::all_of(forest.feature, is_feature)) refuse_quality(source, "a tree asks for an unknown feature");
  if (!std::ranges::all_of(forest.threshold, is_finite) || !std::ranges::all_of(forest.value, is_finite))
    refuse_quality(source, "a number is not finite");
  return forest;
}

// Checks that the model was trained for what this program computes.
void check_definition(const Json& definition, const std::string& source) {
  const Json expected = {{"values_a_second", quality::kValuesHz},
                         {"block_values", quality::kBlockValues},
                         {"features", quality::kFeatureNames},
                         {"classes", {"good", "noise", "lost"}},
                         {"recording_window_blocks", quality::kWindowBlocks},
                         {"recording_features", quality::kWindowFeatures}};
  for (const auto& [key, value] : expected.items())
    if (definition.at(key) != value)
      refuse_quality(source, "trained for another '" + key + "' than this version of beatscan has");
}

TrainedQualityModel quality_model_of(const Json& document, const std::string& source) {
  if (document.at("format") != "beatscan quality") refuse_quality(source, "not a model of signal quality");
  if (document.at("version") != kQualityVersion)
    refuse_quality(source,
                   "version " + document.at("version").dump() + " instead of " + std::to_string(kQualityVersion));
  check_definition(document.at("definition"), source);
  TrainedQualityModel model;
  model.sha256 = document.at("sha256").get<std::string>();
  model.date = document.at("date");
  model.blocks = forest_of(document.at("blocks"), quality::kClasses, quality::kFeatures, source);
  model.recordings = forest_of(document.at("recordings"), 1, quality::kWindowWidth, source);
  model.calibration = {document.at("calibration").at("scale").get<double>(),
                       document.at("calibration").at("offset").get<double>()};
  if (digest_of(document) != model.sha256)
    refuse_quality(source, "damaged: the forests do not have the digest that the file gives");
  return model;
}

}  // namespace

TrainedQualityModel parse_quality_model(const std::string& text, const std::string& source) {
  const Json document = Json::parse(text, nullptr, false);
  if (!document.is_object()) refuse_quality(source, "not a JSON object");
  try {
    return quality_model_of(document, source);
  } catch (const Json::exception& error) {  // a part is missing, or of another type
    refuse_quality(source, std::string("not a model: ") + error.what());
  }
}

TrainedQualityModel quality_model(const std::filesystem::path& path) {
  if (path.empty()) {
    static const TrainedQualityModel builtin = parse_quality_model(kBuiltinQualityModel, "models/quality.json");
    return builtin;
  }
  return parse_quality_model(
      read_whole_file(path, {.most_bytes = 1 << 24, .kind = ErrorKind::usage, .advice = kQualityAdvice}),
      path.string());
}

}  // namespace beatscan
