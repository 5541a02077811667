#include "stages/vae_engine.h"

#include <ATen/Functions.h>
#include <torch/optim/adam.h>

#include "kernels/vae_step.h"
#include "stages/torch_bridge.h"

namespace beatscan {
namespace {

template <class Context>
class AutogradEngine : public EpochEngine {
 public:
  AutogradEngine(Context& context, const EpochInput<Context>& input, const VaeOptions& options, VaeModule& module)
      : options_(options),
        module_(module),
        rows_(input.rows),
        order_(view(context, input.order, {input.order.size()})),
        eps_(view(context, input.eps, {input.order.size(), options.latents})),
        adam_(module.parameters(), torch::optim::AdamOptions(options.learning_rate)) {}

  double run() override {
    const std::int64_t beats = rows_.size(0);
    auto total = torch::zeros({}, torch::TensorOptions().device(rows_.device()).dtype(torch::kFloat64));
    for (std::int64_t first = 0; first < beats; first += options_.batch_beats) {
      const std::int64_t last = std::min(first + options_.batch_beats, beats);
      adam_.zero_grad();
      const auto loss = batch_loss(module_, rows_.index_select(0, order_.slice(0, first, last)),
                                   eps_.slice(0, first, last), options_.kl_weight);
      loss.backward();
      adam_.step();
      total += loss.detach();
    }
    return total.template item<double>();
  }

 private:
  const VaeOptions& options_;
  VaeModule& module_;
  torch::Tensor rows_, order_, eps_;
  torch::optim::Adam adam_;
};

template <class Context>
class FusedEngine : public EpochEngine {
 public:
  FusedEngine(Context& context, const EpochInput<Context>& input, const VaeOptions& options, VaeModule& module)
      : epochs_(context, {span_of(input.rows), input.order, input.eps},
                {options.batch_beats, options.kl_weight, options.learning_rate}, span_of(module.flat())) {}

  double run() override { return epochs_.run(); }

 private:
  VaeEpochs<Context> epochs_;
};

}  // namespace

template <class Context>
std::unique_ptr<EpochEngine> make_engine(Context& context, const EpochInput<Context>& input, const VaeOptions& options,
                                         VaeModule& module) {
  if (module.flat().defined()) return std::make_unique<FusedEngine<Context>>(context, input, options, module);
  return std::make_unique<AutogradEngine<Context>>(context, input, options, module);
}

template std::unique_ptr<EpochEngine> make_engine(Cpu&, const EpochInput<Cpu>&, const VaeOptions&, VaeModule&);
#ifdef BEATSCAN_WITH_CUDA
template std::unique_ptr<EpochEngine> make_engine(Cuda&, const EpochInput<Cuda>&, const VaeOptions&, VaeModule&);
#endif

}  // namespace beatscan
