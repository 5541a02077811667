// tests/support/vae_reference.h — the stored results of an independent PyTorch model in float64
// (tests/reference/vae.py) on a batch of 37 beats, and the fused step on the same beats.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "kernels/model/vae_step.h"
#include "tests/paths/paths.h"
#include "tests/support/backends.h"
#include "tests/support/read_npy.h"

namespace beatscan {

inline constexpr double kKlWeight = 0.1;

template <class T>
std::vector<T> stored(const std::string& name) {
  return read_npy<T>(std::filesystem::path(source_folder()) / "tests/reference/expected/vae" / (name + ".npy")).values;
}

// The stored arrays PREFIX.NAME of all parameters, as one vector.
template <class T>
std::vector<T> stored_parameters(const std::string& prefix) {
  std::vector<T> flat(vae::kParameters);
  for (const auto& parameter : vae::kParameterTable)
    std::ranges::copy(stored<T>(prefix + "." + parameter.name), flat.begin() + parameter.offset);
  return flat;
}

// The relative difference ||a - b|| / ||b||.
inline double relative_error(const auto* a, const auto* b, int size) {
  double difference = 0, norm = 0;
  for (int i = 0; i < size; ++i) {
    difference += std::pow(static_cast<double>(a[i]) - b[i], 2);
    norm += std::pow(static_cast<double>(b[i]), 2);
  }
  return std::sqrt(difference / norm);
}

// The tolerance of float32 against float64: some hundred roundings of 6e-8 each, in sums of 256 terms for many beats.
inline void expect_close(const std::vector<float>& found, const auto& expected, double tolerance = 1e-5) {
  for (const auto& parameter : vae::kParameterTable)
    EXPECT_LT(relative_error(&found[parameter.offset], &expected[parameter.offset], parameter.size), tolerance)
        << parameter.name;
}

struct Gradient {
  std::vector<float> values;
  float loss;
};

template <class Context>
class VaeStep : public OnBackend<Context> {
 protected:
  Gradient gradient(const std::vector<std::int32_t>& indices, const std::vector<float>& eps) {
    return gradient(this->context(), indices, eps);
  }
  Gradient gradient(Context& context, const std::vector<std::int32_t>& indices, const std::vector<float>& eps) {
    const auto device_rows = from_host(context, rows), device_eps = from_host(context, eps);
    const auto device_indices = from_host(context, indices);
    const auto device_parameters = from_host(context, parameters);
    auto values = from_host(context, std::vector<float>(vae::kParameters, NAN));  // NaN reveals unwritten values
    auto loss = from_host(context, std::vector<float>(1, NAN));
    vae_gradients(context, {device_rows, device_indices, device_eps}, device_parameters, kKlWeight, values, loss);
    return {to_host(context, values), to_host(context, loss)[0]};
  }

  // The indices of n beats, the stored ones repeated, and noise for each.
  std::vector<std::int32_t> many_indices(int n) {
    std::vector<std::int32_t> indices(n);
    for (int i = 0; i < n; ++i) indices[i] = static_cast<std::int32_t>(i * 5 % (rows.size() / vae::kPoints));
    return indices;
  }
  std::vector<float> many_eps(int n) {
    std::mt19937 random(n);
    std::normal_distribution<float> normal;
    std::vector<float> noise(n * vae::kLatents);
    for (float& value : noise) value = normal(random);
    return noise;
  }

  std::vector<float> rows = stored<float>("x"), eps = stored<float>("eps");
  std::vector<float> parameters = stored_parameters<float>("w");
};

inline std::vector<std::int32_t> counted(std::int64_t n) {
  std::vector<std::int32_t> indices(n);
  std::iota(indices.begin(), indices.end(), 0);
  return indices;
}

}  // namespace beatscan
