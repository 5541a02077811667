// tests/kernels/waves/waves_reference.h — the trained net, and values that the reference in Python computes with it.
#pragma once

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/waves/wave_confidence.h"
#include "kernels/waves/wave_net.h"
#include "tests/paths/paths.h"

namespace beatscan::waves {

inline nlohmann::json read_json(const std::string& path) {
  std::ifstream file(source_folder() + "/" + path);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  return nlohmann::json::parse(file);
}

// Decodes base64 of little-endian floats.
inline std::vector<float> floats_of(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<unsigned>(digits.find(c));
    if ((count += 6) < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<char>(bits >> count & 255));
  }
  std::vector<float> values(bytes.size() / sizeof(float));
  bytes.copy(reinterpret_cast<char*>(values.data()), values.size() * sizeof(float));
  return values;
}

inline const NetModel& trained_net() {
  static const NetModel model = [] {
    const auto json = read_json("models/waves.json");
    return NetModel{json.at("size").get<std::array<int, 4>>(), floats_of(json.at("weights"))};
  }();
  return model;
}

inline ConfidenceModel trained_confidence() {
  const auto json = read_json("models/waves.json").at("confidence");
  ConfidenceModel model;
  for (int wave = 0; wave < kMasks; ++wave) {
    const auto& of_wave = json.at(std::array{"P", "QRS", "T"}[wave]);
    model.waves[wave].bias = of_wave.at("bias");
    for (std::size_t i = 0; i < of_wave.at("inputs").size(); ++i) {
      const auto& input = of_wave.at("inputs").at(i);
      model.waves[wave].inputs[i] = {input.at("mean"), input.at("scale"), input.at("weight")};
    }
  }
  return model;
}

// Returns all numbers of nested lists in order; null is NaN.
template <class T>
std::vector<T> flat(const nlohmann::json& json) {
  if (json.is_null()) return {static_cast<T>(NAN)};
  if (json.is_number()) return {json.get<T>()};
  std::vector<T> all;
  for (const auto& item : json)
    for (const T value : flat<T>(item)) all.push_back(value);
  return all;
}

// Synthetic weights of the size that a trained net has.
inline NetModel random_net(const std::array<int, 4>& channels, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> uniform(-0.25f, 0.25f);
  NetModel model{channels, std::vector<float>(number_of_weights(channels))};
  for (float& weight : model.weights) weight = uniform(random);
  return model;
}

// Synthetic windows: noise, waves of 0.3 mV and a QRS complex of 1 mV, minus their median.
std::vector<float> random_windows(std::int64_t count, std::uint64_t seed);

}  // namespace beatscan::waves
