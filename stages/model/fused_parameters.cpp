#include "stages/model/fused_parameters.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string_view>

#include "kernels/model/vae_layout.h"
#include "kernels/runtime/error.h"
#include "stages/model/vae_options.h"

namespace beatscan {
namespace {

struct Layer {
  std::string_view name;
  std::int64_t in, out, taps;  // taps 0: a linear layer
};
constexpr Layer kLayers[] = {{"conv0", vae::kConv0.in, vae::kConv0.out, vae::kTaps},
                             {"conv1", vae::kConv1.in, vae::kConv1.out, vae::kTaps},
                             {"conv2", vae::kConv2.in, vae::kConv2.out, vae::kTaps},
                             {"convA", vae::kMuHead.in, vae::kMuHead.out, vae::kTaps},
                             {"convB", vae::kLogvarHead.in, vae::kLogvarHead.out, vae::kTaps},
                             {"restore", vae::kLatents, vae::kRestoreRows, 0},
                             {"conv3", vae::kConv3.in, vae::kConv3.out, vae::kTaps},
                             {"conv4", vae::kConv4.in, vae::kConv4.out, vae::kTaps},
                             {"conv5", vae::kConv5.in, vae::kConv5.out, vae::kTaps}};

// Returns the layer of a parameter; nullptr for alpha, which belongs to none.
const Layer* layer_of(std::string_view parameter) {
  const auto found = std::ranges::find(kLayers, parameter.substr(0, parameter.find('.')), &Layer::name);
  return found == std::end(kLayers) ? nullptr : found;
}

std::vector<std::int64_t> shape_of(const vae::Parameter& parameter) {
  const std::string_view name = parameter.name;
  const Layer* layer = layer_of(name);
  if (!layer || name.ends_with(".bias")) return {parameter.size};
  if (layer->taps == 0) return {layer->out, layer->in};
  return {layer->out, layer->in, layer->taps};
}

// Draws from the uniform distribution over [-bound, bound) as at::uniform_real_distribution<float> does.
float uniform(std::mt19937& random, double bound) {
  const auto from = static_cast<float>(-bound), to = static_cast<float>(bound);
  const float unit = static_cast<float>(random() & 0xffffff) * 0x1p-24f;
  return std::fma(unit, to - from, from);
}

}  // namespace

bool fused_step_covers(const VaeOptions& options, std::int64_t row_points) {
  return options.channels == std::vector<int>{vae::kConv0.out, vae::kConv1.out, vae::kConv2.out} &&
         options.latents == vae::kLatents && row_points == vae::kPoints;
}

// LibTorch makes the layers in the order of the table, and takes the lower half of a seed.
std::vector<float> initial_parameters(std::uint64_t seed) {
  std::mt19937 random(static_cast<std::uint32_t>(seed));
  std::vector<float> flat(vae::kParameters, 1);
  for (const auto& parameter : vae::kParameterTable) {
    const Layer* layer = layer_of(parameter.name);
    if (!layer) continue;
    const double fan_in = static_cast<double>(layer->in * std::max<std::int64_t>(layer->taps, 1));
    for (int i = 0; i < parameter.size; ++i) flat[parameter.offset + i] = uniform(random, 1 / std::sqrt(fan_in));
  }
  return flat;
}

std::vector<NamedArray> named_parameters(std::span<const float> flat) {
  BEATSCAN_EXPECTS(std::ssize(flat) == vae::kParameters, "named_parameters: bad shape");
  std::vector<NamedArray> arrays;
  for (const auto& parameter : vae::kParameterTable) {
    const auto values = flat.subspan(parameter.offset, parameter.size);
    arrays.push_back({parameter.name, shape_of(parameter), {values.begin(), values.end()}});
  }
  return arrays;
}

std::vector<float> flat_parameters(const std::vector<NamedArray>& arrays) {
  BEATSCAN_EXPECTS(arrays.size() == std::size(vae::kParameterTable),
                   "flat_parameters: not the parameters of this topology");
  std::vector<float> flat(vae::kParameters);
  for (const auto& parameter : vae::kParameterTable) {
    const auto array = std::ranges::find(arrays, parameter.name, &NamedArray::name);
    BEATSCAN_EXPECTS(
        array != arrays.end() && array->shape == shape_of(parameter) && std::ssize(array->values) == parameter.size,
        std::string("flat_parameters: ") + parameter.name + " does not fit");
    std::ranges::copy(array->values, flat.begin() + parameter.offset);
  }
  return flat;
}

}  // namespace beatscan
