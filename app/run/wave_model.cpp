#include "app/run/wave_model.h"

#include <openssl/evp.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>

#include "app/files/sha256.h"
#include "app/files/whole_file.h"
#include "app/run/builtin_wave_model.h"
#include "app/text/json.h"
#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

constexpr int kVersion = 2;

// Returns the bytes of a text in base64; none where it is not.
std::vector<char> from_base64(const std::string& text) {
  std::vector<char> bytes(text.size() / 4 * 3);
  if (text.size() % 4 != 0 || text.empty() || text.size() > (1U << 24)) return {};
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                   reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
  if (size < 0) return {};
  bytes.resize(size - std::min<std::ptrdiff_t>(std::count(text.end() - 2, text.end(), '='), 2));
  return bytes;
}

constexpr const char* kAdvice = "give waves.model a file of scripts/train_waves, or nothing for the built-in model";

[[noreturn]] void refuse(const std::string& source, const std::string& why) {
  fail(ErrorKind::usage, source, why + "; " + kAdvice);
}

const Json& builtin_document() {
  static const Json document = Json::parse(kBuiltinWaveModel);
  return document;
}

std::array<int, 4> channels_of(const Json& document, const std::string& source) {
  std::array<int, 4> channels{};
  const Json& size = document.at("size");
  if (!size.is_array() || size.size() != channels.size()) refuse(source, "'size' is not four numbers of channels");
  for (std::size_t i = 0; i < channels.size(); ++i) {
    channels[i] = size[i].get<int>();
    if (channels[i] < 1 || channels[i] > waves::kMostChannels)
      refuse(source, "a layer has " + std::to_string(channels[i]) + " channels instead of 1 to " +
                         std::to_string(waves::kMostChannels));
  }
  return channels;
}

std::vector<float> weights_of(const Json& document, std::int64_t number, const std::string& source) {
  const auto bytes = from_base64(document.at("weights").get<std::string>());
  if (std::ssize(bytes) != number * static_cast<std::int64_t>(sizeof(float)))
    refuse(source, "it does not have the " + std::to_string(number) + " weights of its layers");
  if (sha256_of(bytes) != document.at("weights_sha256").get<std::string>())
    refuse(source, "damaged: the weights do not have the digest that the file gives");
  std::vector<float> weights(number);
  std::memcpy(weights.data(), bytes.data(), bytes.size());
  if (!std::ranges::all_of(weights, [](float weight) { return std::isfinite(weight); }))
    refuse(source, "a weight is not finite");
  return weights;
}

waves::ConfidenceModel confidence_of(const Json& document, const std::string& source) {
  waves::ConfidenceModel model;
  for (int wave = 0; wave < waves::kMasks; ++wave) {
    const std::string name = std::array{"P", "QRS", "T"}[wave];
    const Json& regression = document.at("confidence").at(name);
    const auto& names = waves::kConfidenceInputs[wave];
    const auto count = static_cast<std::size_t>(std::ranges::find(names, nullptr) - names.begin());
    const Json& inputs = regression.at("inputs");
    bool sound = inputs.is_array() && inputs.size() == count;
    model.waves[wave].bias = regression.at("bias").get<double>();
    for (std::size_t i = 0; sound && i < count; ++i) {
      waves::ConfidenceModel::Input& input = model.waves[wave].inputs[i];
      input = {inputs[i].at("mean").get<double>(), inputs[i].at("scale").get<double>(),
               inputs[i].at("weight").get<double>()};
      sound = inputs[i].at("name") == names[i] && input.scale > 0;
    }
    if (!sound) refuse(source, "the confidence of " + name + " waves has other inputs than this version of beatscan");
  }
  return model;
}

WaveModel model_of(const Json& document, const std::string& source) {
  if (document.at("format") != "beatscan waves") refuse(source, "not a model of P, QRS and T waves");
  if (document.at("version") != kVersion)
    refuse(source, "version " + document.at("version").dump() + " instead of " + std::to_string(kVersion));
  for (const char* part : {"input", "decoding"})
    if (document.at(part) != builtin_document().at(part))
      refuse(source, std::string("trained for another '") + part + "' than this version of beatscan has");
  if (document.at("confidence").at("constants") != builtin_document().at("confidence").at("constants"))
    refuse(source, "trained for another 'confidence' than this version of beatscan has");
  WaveModel model;
  model.sha256 = sha256_of(document.at("weights_sha256").get<std::string>() + document.at("confidence").dump());
  model.date = document.at("date");
  model.confidence = confidence_of(document, source);
  model.net.channels = channels_of(document, source);
  model.net.weights = weights_of(document, waves::number_of_weights(model.net.channels), source);
  return model;
}

}  // namespace

WaveModel parse_wave_model(const std::string& text, const std::string& source) {
  const Json document = Json::parse(text, nullptr, false);
  if (!document.is_object()) refuse(source, "not a JSON object");
  try {
    return model_of(document, source);
  } catch (const Json::exception& error) {  // a part is missing, or of another type
    refuse(source, std::string("not a model: ") + error.what());
  }
}

WaveModel wave_model(const std::filesystem::path& path) {
  if (path.empty()) {
    static const WaveModel builtin = model_of(builtin_document(), "models/waves.json");
    return builtin;
  }
  return parse_wave_model(read_whole_file(path, {.most_bytes = 1 << 24, .kind = ErrorKind::usage, .advice = kAdvice}),
                          path.string());
}

}  // namespace beatscan
