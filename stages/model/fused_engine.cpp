#include "stages/model/fused_engine.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string_view>

#include "kernels/model/vae_layout.h"
#include "kernels/runtime/error.h"
#include "stages/model/epoch_engine.h"
#include "stages/model/vae_output.h"

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

namespace {

// Trains parameters in the context's memory.
template <class Context>
class FusedEngine : public EpochEngine {
 public:
  FusedEngine(Context& context, const VaeBatch& epoch, const VaeOptions& options, const TrainingStart& start)
      : context_(context),
        options_(options),
        parameters_(from_host(
            context, weights_of(start).empty() ? initial_parameters(start.seed) : flat_parameters(weights_of(start)))),
        epochs_(context, epoch, step_options(options, std::ssize(epoch.indices)), parameters_) {}

  double run() override { return epochs_.run(); }

  double loss(const VaeBatch& batch) override {
    BEATSCAN_EXPECTS(!batch.indices.empty(), "loss: no beats");  // without indices vae_score would take all rows
    const RowScores scores = to_host(context_, fused_scores(context_, batch, parameters_));
    double total = 0;
    for (std::size_t i = 0; i < scores.kl.size(); ++i)
      total += scores.reconstruction_error[i] + options_.kl_weight * scores.kl[i];
    return total;
  }

  std::vector<NamedArray> parameters() override { return named_parameters(to_host(context_, parameters_)); }
  VaeModel model() override { return VaeModel(to_host(context_, parameters_)); }

  void save_adam(TrainingState& state) override {
    const AdamState adam = epochs_.adam();
    state.mean = named_parameters(adam.mean);
    state.square = named_parameters(adam.square);
    state.steps = adam.steps;
  }

  void set_adam(const TrainingState& state) override {
    AdamState adam{std::vector<float>(vae::kParameters), std::vector<float>(vae::kParameters), state.steps};
    for (const auto& [name, offset, size] : vae::kParameterTable) {
      std::ranges::copy(moments_of(state.mean, name, size).values, adam.mean.begin() + offset);
      std::ranges::copy(moments_of(state.square, name, size).values, adam.square.begin() + offset);
    }
    epochs_.set_adam(adam);
  }

 private:
  Context& context_;
  const VaeOptions& options_;
  Buffer<float, Context> parameters_;
  VaeEpochs<Context> epochs_;
};

}  // namespace

template <class Context>
std::unique_ptr<EpochEngine> make_fused_engine(Context& context, const VaeBatch& epoch, const VaeOptions& options,
                                               const TrainingStart& start) {
  return std::make_unique<FusedEngine<Context>>(context, epoch, options, start);
}

#define BEATSCAN_MAKE_FUSED_ENGINE(Context)                                                             \
  template std::unique_ptr<EpochEngine> make_fused_engine(Context&, const VaeBatch&, const VaeOptions&, \
                                                          const TrainingStart&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_MAKE_FUSED_ENGINE)

}  // namespace beatscan
