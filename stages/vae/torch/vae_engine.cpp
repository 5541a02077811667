#include "stages/vae/torch/vae_engine.h"

#include <ATen/Functions.h>
#include <torch/optim/adam.h>
#include <torch/utils.h>

#include <algorithm>
#include <cmath>

#include "kernels/runtime/error.h"
#include "stages/vae/torch/torch_bridge.h"
#include "stages/vae/torch/vae_score.h"

namespace beatscan {
namespace {

VaeStepOptions step_options(const VaeOptions& options, std::int64_t train_beats) {
  const std::int64_t steps = (train_beats + options.batch_beats - 1) / options.batch_beats * *options.epochs;
  const double decay =
      steps > 1 ? std::pow(options.last_learning_rate / options.learning_rate, 1 / static_cast<double>(steps - 1)) : 1;
  return {options.batch_beats, options.kl_weight, options.learning_rate, decay};
}

const NamedArray& array_of(const std::vector<NamedArray>& arrays, const std::string& name, std::int64_t size) {
  const auto found = std::ranges::find(arrays, name, &NamedArray::name);
  BEATSCAN_EXPECTS(found != arrays.end() && std::ssize(found->values) == size, "train_vae: no moments of " + name);
  return *found;
}

template <class Context>
class AutogradEngine : public EpochEngine {
 public:
  AutogradEngine(Context& context, const VaeBatch& epoch, const VaeOptions& options, VaeModule& module)
      : scope_(context),
        context_(context),
        options_(options),
        module_(module),
        epoch_(epoch),
        rate_decay_(step_options(options, std::ssize(epoch.indices)).rate_decay),
        adam_(module.parameters(), torch::optim::AdamOptions(options.learning_rate)) {}

  double run() override {
    return sum_over_batches(epoch_, options_.batch_beats, [&](const auto& rows, const auto& eps) {
      adam_.zero_grad();
      const auto loss = batch_loss(module_, rows, eps, options_.kl_weight);
      loss.backward();
      adam_.step();
      lower_rate();
      return loss.detach();
    });
  }

  double loss(const VaeBatch& batch) override {
    const torch::NoGradGuard no_grad;
    return sum_over_batches(batch, kEvaluationBatch, [&](const auto& rows, const auto& eps) {
      return batch_loss(module_, rows, eps, options_.kl_weight);
    });
  }

  void update_module() override {}  // the module itself is trained

  void save_adam(TrainingState& state) override {
    for (const auto& parameter : module_.named_parameters()) {
      const auto shape = parameter.value().sizes().vec();
      const auto& adam = static_cast<torch::optim::AdamParamState&>(*adam_.state().at(key_of(parameter.value())));
      state.steps = adam.step();
      state.mean.push_back({parameter.key(), shape, host_values<float>(adam.exp_avg())});
      state.square.push_back({parameter.key(), shape, host_values<float>(adam.exp_avg_sq())});
    }
  }

  void set_adam(const TrainingState& state) override {
    const torch::NoGradGuard no_grad;
    for (const auto& parameter : module_.named_parameters()) {
      const torch::Tensor& value = parameter.value();
      const auto tensor = [&](const std::vector<NamedArray>& arrays) {
        const auto& array = array_of(arrays, parameter.key(), value.numel());
        return torch::from_blob(const_cast<float*>(array.values.data()), value.sizes()).clone().to(value.device());
      };
      auto adam = std::make_unique<torch::optim::AdamParamState>();
      adam->step(state.steps);
      adam->exp_avg(tensor(state.mean));
      adam->exp_avg_sq(tensor(state.square));
      adam_.state()[key_of(value)] = std::move(adam);
    }
    for (std::int64_t step = 0; step < state.steps; ++step)
      lower_rate();  // step by step, so that the bits are the same
  }

 private:
  static void* key_of(const torch::Tensor& parameter) { return parameter.unsafeGetTensorImpl(); }

  void lower_rate() {
    auto& adam_options = static_cast<torch::optim::AdamOptions&>(adam_.param_groups()[0].options());
    adam_options.lr(adam_options.lr() * rate_decay_);
  }

  template <class Work>
  double sum_over_batches(const VaeBatch& batch, std::int64_t batch_beats, Work&& work) {
    const auto beats = std::ssize(batch.indices);
    const auto rows = view(context_, batch.rows, {-1, module_.row_points()});
    const auto indices = view(context_, batch.indices, {beats});
    const auto eps = view(context_, batch.eps, {beats, module_.latents()});
    auto total = torch::zeros({}, torch::TensorOptions().device(rows.device()).dtype(torch::kFloat64));
    for (std::int64_t first = 0; first < beats; first += batch_beats) {
      const std::int64_t last = std::min(first + batch_beats, beats);
      total += work(rows.index_select(0, indices.slice(0, first, last)), eps.slice(0, first, last));
    }
    return total.template item<double>();
  }

  TorchScope scope_;
  Context& context_;
  const VaeOptions& options_;
  VaeModule& module_;
  VaeBatch epoch_;
  double rate_decay_;
  torch::optim::Adam adam_;
};

// Trains a copy of the module's parameters in the context's memory. The module itself stays on the host.
template <class Context>
class FusedEngine : public EpochEngine {
 public:
  FusedEngine(Context& context, const VaeBatch& epoch, const VaeOptions& options, VaeModule& module)
      : context_(context),
        options_(options),
        module_(module),
        parameters_(copied(context, span_of(module.flat()))),
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

  void update_module() override {
    copy<float>(context_, parameters_, span_of(module_.flat()));
    context_.synchronize();
  }

  void save_adam(TrainingState& state) override {
    const AdamState adam = epochs_.adam();
    const auto module_parameters = module_.named_parameters();
    const auto named = [&](const vae::Parameter& parameter, const std::vector<float>& values) {
      const auto first = values.begin() + parameter.offset;
      return NamedArray{
          parameter.name, module_parameters[parameter.name].sizes().vec(), {first, first + parameter.size}};
    };
    for (const auto& parameter : vae::kParameterTable) {
      state.mean.push_back(named(parameter, adam.mean));
      state.square.push_back(named(parameter, adam.square));
    }
    state.steps = adam.steps;
  }

  void set_adam(const TrainingState& state) override {
    AdamState adam{std::vector<float>(vae::kParameters), std::vector<float>(vae::kParameters), state.steps};
    for (const auto& [name, offset, size] : vae::kParameterTable) {
      std::ranges::copy(array_of(state.mean, name, size).values, adam.mean.begin() + offset);
      std::ranges::copy(array_of(state.square, name, size).values, adam.square.begin() + offset);
    }
    epochs_.set_adam(adam);
  }

 private:
  Context& context_;
  const VaeOptions& options_;
  VaeModule& module_;
  Buffer<float, Context> parameters_;
  VaeEpochs<Context> epochs_;
};

}  // namespace

template <class Context>
std::unique_ptr<EpochEngine> make_engine(Context& context, const VaeBatch& epoch, const VaeOptions& options,
                                         VaeModule& module) {
  if (module.flat().defined()) return std::make_unique<FusedEngine<Context>>(context, epoch, options, module);
  return std::make_unique<AutogradEngine<Context>>(context, epoch, options, module);
}

#define BEATSCAN_MAKE_ENGINE(Context) \
  template std::unique_ptr<EpochEngine> make_engine(Context&, const VaeBatch&, const VaeOptions&, VaeModule&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_MAKE_ENGINE)

}  // namespace beatscan
