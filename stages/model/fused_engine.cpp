#include <algorithm>

#include "kernels/runtime/error.h"
#include "stages/model/epoch_engine.h"
#include "stages/model/fused_parameters.h"
#include "stages/model/fused_scores.h"

namespace beatscan {
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
