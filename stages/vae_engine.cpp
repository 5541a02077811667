#include "stages/vae_engine.h"

#include <ATen/Functions.h>
#include <torch/optim/adam.h>
#include <torch/utils.h>

#include <algorithm>
#include <cmath>

#include "kernels/check.h"
#include "stages/torch_bridge.h"
#include "stages/vae_score.h"

namespace beatscan {
namespace {

VaeStepOptions step_options(const VaeOptions& options, std::int64_t train_beats) {
  const std::int64_t steps = (train_beats + options.batch_beats - 1) / options.batch_beats * options.epochs;
  const double decay =
      steps > 1 ? std::pow(options.last_learning_rate / options.learning_rate, 1 / static_cast<double>(steps - 1)) : 1;
  return {options.batch_beats, options.kl_weight, options.learning_rate, decay};
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
      auto& adam_options = static_cast<torch::optim::AdamOptions&>(adam_.param_groups()[0].options());
      adam_options.lr(adam_options.lr() * rate_decay_);
      return loss.detach();
    });
  }

  double loss(const VaeBatch& batch) override {
    const torch::NoGradGuard no_grad;
    return sum_over_batches(batch, kEvaluationBatch, [&](const auto& rows, const auto& eps) {
      return batch_loss(module_, rows, eps, options_.kl_weight);
    });
  }

  void update_module() override {}  // it is the module that is trained

 private:
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

// Trains a copy of the module's parameters in the context's memory: the module itself stays on the host.
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
    BEATSCAN_EXPECTS(!batch.indices.empty(), "loss: no beats");  // to vae_score that would be all of them
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

template std::unique_ptr<EpochEngine> make_engine(Cpu&, const VaeBatch&, const VaeOptions&, VaeModule&);
#ifdef BEATSCAN_WITH_CUDA
template std::unique_ptr<EpochEngine> make_engine(Cuda&, const VaeBatch&, const VaeOptions&, VaeModule&);
#endif

}  // namespace beatscan
