#include "app/pipeline/wave_model.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>

#include "app/common/json.h"
#include "app/common/sha256.h"
#include "app/pipeline/builtin_models.h"
#include "app/pipeline/model_document.h"
#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

constexpr int kVersion = 2;

constexpr const char* kAdvice = "give waves.model a file of scripts/train_waves, or nothing for the built-in model";

const Json& builtin_document() {
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
  if (!std::ranges::all_of(weights, [](float weight) { return std::isfinite(weight); }))
    document.refuse("a weight is not finite");
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

WaveModel model_of(const ModelDocument& document) {
  const Json& json = document.json;
  document.check_form("beatscan waves", kVersion, "a model of P, QRS and T waves");
  for (const char* part : {"input", "decoding"})
    if (json.at(part) != builtin_document().at(part))
      document.refuse(std::string("trained for another '") + part + "' than this version of beatscan has");
  if (json.at("confidence").at("constants") != builtin_document().at("confidence").at("constants"))
    document.refuse("trained for another 'confidence' than this version of beatscan has");
  WaveModel model;
  model.sha256 = sha256_of(json.at("weights_sha256").get<std::string>() + json.at("confidence").dump());
  model.date = json.at("date");
  model.confidence = confidence_of(document);
  model.net.channels = channels_of(document);
  model.net.weights = weights_of(document, waves::number_of_weights(model.net.channels));
  return model;
}

}  // namespace

WaveModel parse_wave_model(const std::string& text, const std::string& source) {
  WaveModel model;
  parse_model_document(text, source, kAdvice, [&](const ModelDocument& document) { model = model_of(document); });
  return model;
}

WaveModel wave_model(const std::filesystem::path& path) {
  if (path.empty()) {
    static const WaveModel builtin = model_of({builtin_document(), "models/waves.json", kAdvice});
    return builtin;
  }
  return parse_wave_model(read_model_text(path, kAdvice), path.string());
}

}  // namespace beatscan
