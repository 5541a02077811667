// The models of quality and fibrillation, and of waves.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "app/common/sha256.h"
#include "app/pipeline/builtin_models.h"
#include "app/pipeline/model_document.h"
#include "app/pipeline/models.h"

namespace beatscan {
namespace {

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
  if (!std::ranges::all_of(forest.feature, is_feature)) document.refuse("a tree asks for an unknown feature");
  if (!are_finite(forest.threshold) || !are_finite(forest.value)) document.refuse("a number is not finite");
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

TrainedQualityModel quality_model_of(const ModelDocument& document) {
  const Json& json = document.json;
  if (!json.contains("fibrillation")) document.refuse("without fibrillation: scripts/train_fibrillation adds it");
  check_definition(document);
  TrainedQualityModel model;
  model.date = json.at("date");
  model.blocks = forest_of(document, json.at("blocks"), quality::kClasses, quality::kFeatures);
  model.recordings = forest_of(document, json.at("recordings"), 1, quality::kWindowWidth);
  const Json& calibration = json.at("calibration");
  model.calibration = {number_of(document, calibration, "scale"), number_of(document, calibration, "offset")};
  const Json& fibrillation = json.at("fibrillation");
  model.fibrillation = forest_of(document, fibrillation.at("forest"), 1, quality::kFibrillationWidth);
  model.fibrillation_model = fibrillation_of(document, fibrillation);
  // Everything that the program computes with. A null value that becomes an object by [] crashes if memory runs out.
  nlohmann::json parts = {{"fibrillation", nlohmann::json::object()}};
  for (const char* name : {"blocks", "calibration", "recordings"}) parts[name] = json.at(name);
  for (const char* name : {"forest", "chain"}) parts["fibrillation"][name] = fibrillation.at(name);
  model.sha256 = document.checked_digest(parts);
  return model;
}

constexpr ModelForm<TrainedQualityModel> kQualityForm{
    {"beatscan quality", 1, "a model of signal quality", "quality.model", "train_quality"},
    kBuiltinQualityModel,
    "models/quality.json",
    quality_model_of};

const Json& builtin_wave_document() {
  static const Json document = Json::parse(kBuiltinWaveModel);
  return document;
}

std::array<int, 4> channels_of(const ModelDocument& document) {
  std::array<int, 4> channels{};
  const Json& size = document.json.at("size");
  if (!size.is_array() || size.size() != channels.size()) document.refuse("'size' is not four numbers of channels");
  for (std::size_t i = 0; i < channels.size(); ++i) {
    channels[i] = size[i].get<int>();
    if (channels[i] < 1 || channels[i] > waves::kMostChannels)
      document.refuse("a layer has " + std::to_string(channels[i]) + " channels instead of 1 to " +
                      std::to_string(waves::kMostChannels));
  }
  return channels;
}

std::vector<float> weights_of(const ModelDocument& document, std::int64_t number) {
  const auto bytes = from_base64(document.json.at("weights").get<std::string>());
  if (std::ssize(bytes) != number * static_cast<std::int64_t>(sizeof(float)))
    document.refuse("it does not have the " + std::to_string(number) + " weights of its layers");
  if (sha256_of(bytes) != document.json.at("weights_sha256").get<std::string>())
    document.refuse("damaged: the weights do not have the digest that the file gives");
  std::vector<float> weights(number);
  std::memcpy(weights.data(), bytes.data(), bytes.size());
  if (!are_finite(weights)) document.refuse("a weight is not finite");
  return weights;
}

waves::ConfidenceModel confidence_of(const ModelDocument& document) {
  waves::ConfidenceModel model;
  for (int wave = 0; wave < waves::kMasks; ++wave) {
    const std::string name = std::array{"P", "QRS", "T"}[wave];
    const Json& regression = document.json.at("confidence").at(name);
    const auto& names = waves::kConfidenceInputs[wave];
    const auto count = static_cast<std::size_t>(std::ranges::find(names, nullptr) - names.begin());
    const Json& inputs = regression.at("inputs");
    bool sound = inputs.is_array() && inputs.size() == count;
    model.waves[wave].bias = regression.at("bias").get<double>();
    for (std::size_t i = 0; sound && i < count; ++i) {
      waves::ConfidenceModel::Input& input = model.waves[wave].inputs[i];
      input = {inputs[i].at("mean").get<double>(), inputs[i].at("scale").get<double>(),
               inputs[i].at("weight").get<double>()};
      sound = inputs[i].at("name").get_ref<const Json::string_t&>() == names[i] && input.scale > 0;
    }
    if (!sound) document.refuse("the confidence of " + name + " waves has other inputs than this version of beatscan");
  }
  return model;
}

WaveModel wave_model_of(const ModelDocument& document) {
  const Json &json = document.json, &builtin = builtin_wave_document();
  for (const char* part : {"input", "decoding"})
    if (json.at(part) != builtin.at(part))
      document.refuse(std::string("trained for another '") + part + "' than this version of beatscan has");
  if (json.at("confidence").at("constants") != builtin.at("confidence").at("constants"))
    document.refuse("trained for another 'confidence' than this version of beatscan has");
  WaveModel model;
  model.sha256 = sha256_of(json.at("weights_sha256").get<std::string>() + json.at("confidence").dump());
  model.date = json.at("date");
  model.confidence = confidence_of(document);
  model.net.channels = channels_of(document);
  model.net.weights = weights_of(document, waves::number_of_weights(model.net.channels));
  return model;
}

constexpr ModelForm<WaveModel> kWaveForm{
    {"beatscan waves", 2, "a model of P, QRS and T waves", "waves.model", "train_waves"},
    kBuiltinWaveModel,
    "models/waves.json",
    wave_model_of};

}  // namespace

TrainedQualityModel parse_quality_model(const std::string& text, const std::string& source) {
  return kQualityForm.parse(text, source);
}

TrainedQualityModel quality_model(const std::filesystem::path& path) { return kQualityForm.at(path); }

WaveModel parse_wave_model(const std::string& text, const std::string& source) { return kWaveForm.parse(text, source); }

WaveModel wave_model(const std::filesystem::path& path) { return kWaveForm.at(path); }

}  // namespace beatscan
