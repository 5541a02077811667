#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <torch/utils.h>
#include <torch/version.h>

#include <cmath>
#include <limits>

#include "kernels/check.h"
#include "kernels/random.h"
#include "stages/torch_bridge.h"
#include "stages/vae_engine.h"
#include "stages/vae_score.h"

namespace beatscan {
namespace {

// The same bits from run to run, and float32 arithmetic where float32 is written.
void make_libtorch_repeatable() {
  at::globalContext().setDeterministicCuDNN(true);
  at::globalContext().setBenchmarkCuDNN(false);
  at::globalContext().setAllowTF32CuDNN(false);
  at::globalContext().setAllowTF32CuBLAS(false);
}

void load_parameters(VaeModule& module, const std::vector<NamedArray>& arrays) {
  const torch::NoGradGuard no_grad;
  auto parameters = module.named_parameters();
  BEATSCAN_EXPECTS(arrays.size() == parameters.size(), "load_parameters: not the parameters of this topology");
  for (const auto& array : arrays) {
    torch::Tensor* target = parameters.find(array.name);
    BEATSCAN_EXPECTS(target && target->sizes().vec() == array.shape,
                     "load_parameters: " + array.name + " does not fit");
    target->copy_(torch::from_blob(const_cast<float*>(array.values.data()), array.shape));
  }
}

// Initialised on the CPU, so that a seed means the same weights on every device.
std::shared_ptr<VaeModule> make_module(const VaeOptions& options, std::int64_t row_points, const TrainingStart& start,
                                       torch::Device device) {
  torch::manual_seed(start.seed);
  auto module = std::make_shared<VaeModule>(options, row_points);
  if (!start.parameters.empty()) load_parameters(*module, start.parameters);
  module->to(device);
  if (options.engine != VaeEngine::autograd && fused_step_covers(options, row_points)) module->flatten();
  return module;
}

template <class Context>
class Trainer {
 public:
  Trainer(Context& context, const Rows<Context>& rows, const VaeOptions& options, const TrainingStart& start)
      : context_(context),
        options_(options),
        seed_(start.seed),
        rows_(view(context, rows.values, {rows.count, rows.points})),
        split_(context, rows.count),
        module_(make_module(options, rows.points, start, torch_device(context))) {
    shuffle_indices(context, {seed_, RandomStream::split}, split_);
    const auto shuffled = view(context, split_, {rows.count});
    const auto share = static_cast<std::int64_t>(options.train_fraction * static_cast<double>(rows.count));
    const std::int64_t beats = std::max<std::int64_t>(share, 1);
    train_ = rows_.index_select(0, shuffled.slice(0, 0, beats));
    test_ = shuffled.slice(0, beats, rows.count);
    input_ = {train_, Buffer<std::int32_t, Context>(context, beats),
              Buffer<float, Context>(context, beats * options.latents)};
    engine_ = make_engine(context, input_, options, *module_);
  }

  // Mean loss of the epoch's beats, each batch's before its step.
  double train_epoch(int epoch) {
    const auto number = static_cast<std::uint32_t>(epoch);
    shuffle_indices(context_, {seed_, RandomStream::batch_order, number}, input_.order);
    fill_normal(context_, {seed_, RandomStream::latent_noise, number}, input_.eps);
    return engine_->run() / static_cast<double>(train_.size(0));
  }

  double test_loss() {
    const torch::NoGradGuard no_grad;
    const std::int64_t beats = test_.size(0);
    if (beats == 0) return std::numeric_limits<double>::quiet_NaN();
    const auto eps = noise({seed_, RandomStream::test_noise}, beats);
    double total = 0;
    for (std::int64_t first = 0; first < beats; first += kEvaluationBatch) {
      const std::int64_t last = std::min(first + kEvaluationBatch, beats);
      total += batch_loss(*module_, rows_.index_select(0, test_.slice(0, first, last)),
                          eps.tensor.slice(0, first, last), options_.kl_weight)
                   .template item<double>();
    }
    return total / static_cast<double>(beats);
  }

  double mean_beat_error() {
    const torch::NoGradGuard no_grad;
    const auto mean = train_.mean(0, true);
    const std::int64_t beats = test_.size(0);
    double total = 0;
    for (std::int64_t first = 0; first < beats; first += kEvaluationBatch)
      total += (rows_.index_select(0, test_.slice(0, first, std::min(first + kEvaluationBatch, beats))) - mean)
                   .square()
                   .mean(1)
                   .sum()
                   .template item<double>();
    return beats > 0 ? total / static_cast<double>(beats) : (train_ - mean).square().mean().template item<double>();
  }

  std::vector<std::uint8_t> in_train() {
    const auto indices = to_host(context_, split_);
    std::vector<std::uint8_t> flags(indices.size(), 0);
    for (std::int64_t i = 0; i < train_.size(0); ++i) flags[indices[i]] = 1;
    return flags;
  }

  std::vector<float> generate() {
    const torch::NoGradGuard no_grad;
    const auto z = noise({seed_, RandomStream::generated}, options_.generated_beats);
    return host_values<float>(module_->decode(z.tensor));
  }

  std::shared_ptr<VaeModule> module() { return module_; }

 private:
  struct Noise {
    Buffer<float, Context> memory;
    torch::Tensor tensor;  // [beats, Z] on that memory
  };
  Noise noise(RandomKey key, std::int64_t beats) {
    Buffer<float, Context> memory(context_, beats * options_.latents);
    fill_normal(context_, key, memory);
    auto tensor = view(context_, memory, {beats, options_.latents});
    return {std::move(memory), tensor};
  }

  Context& context_;
  const VaeOptions& options_;
  std::uint64_t seed_;
  torch::Tensor rows_;                   // [B, D] a view
  Buffer<std::int32_t, Context> split_;  // [B] shuffled: training rows first
  torch::Tensor train_;                  // [beats, D] training rows, gathered
  torch::Tensor test_;                   // [beats] row indices
  std::shared_ptr<VaeModule> module_;
  EpochInput<Context> input_;
  std::unique_ptr<EpochEngine> engine_;
};

template <class Context>
VaeResult train(Context& context, const Rows<Context>& rows, const VaeOptions& options, const TrainingStart& start,
                const EpochReport& on_epoch) {
  if (rows.count < 2)
    throw Error(Status::unanalysable, "too few beats: " + std::to_string(rows.count) + " kept, and a model needs 2");
  make_libtorch_repeatable();
  const TorchScope scope(context);
  Trainer<Context> trainer(context, rows, options, start);
  VaeTraining training;
  for (int epoch = 0; epoch < options.epochs; ++epoch) {
    training.loss_per_epoch.push_back(trainer.train_epoch(epoch));
    if (!std::isfinite(training.loss_per_epoch.back()))
      throw Error(Status::unanalysable, "training diverged in epoch " + std::to_string(epoch + 1) +
                                            ": the loss is no longer finite; lower vae.learning_rate");
    if (on_epoch) on_epoch(epoch, training.loss_per_epoch.back());
  }
  training.test_loss = trainer.test_loss();
  training.mean_beat_error = trainer.mean_beat_error();
  training.in_train = trainer.in_train();
  training.generated = trainer.generate();
  return {VaeModel(trainer.module()), std::move(training)};
}

std::vector<NamedArray> parameters(const VaeModel& model) {
  std::vector<NamedArray> arrays;
  for (const auto& parameter : model.module().named_parameters())
    arrays.push_back({parameter.key(), parameter.value().sizes().vec(), host_values<float>(parameter.value())});
  return arrays;
}

std::string version() { return TORCH_VERSION; }

}  // namespace
}  // namespace beatscan

const beatscan::VaeLibrary* beatscan_vae_library() {
  using namespace beatscan;
#ifdef BEATSCAN_WITH_CUDA
  static constexpr VaeLibrary kLibrary{train<Cpu>, train<Cuda>, score_with_module<Cpu>, score_with_module<Cuda>,
                                       parameters, version};
#else
  static constexpr VaeLibrary kLibrary{train<Cpu>, nullptr, score_with_module<Cpu>, nullptr, parameters, version};
#endif
  return &kLibrary;
}
