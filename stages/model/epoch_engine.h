// stages/model/epoch_engine.h — computes the epochs of a training, by the fused step or by LibTorch's autograd.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "kernels/model/vae_step.h"
#include "kernels/runtime/error.h"
#include "stages/model/vae.h"

namespace beatscan {

class EpochEngine {
 public:
  virtual ~EpochEngine() = default;
  // Trains one epoch. Returns the sum of its beats' losses, each before the step of its batch.
  virtual double run() = 0;
  // Returns the sum of the losses of a batch's beats by the model as it is now.
  virtual double loss(const VaeBatch& batch) = 0;
  // Return the model as it is now.
  virtual std::vector<NamedArray> parameters() = 0;
  virtual VaeModel model() = 0;
  // Write and read Adam's part of a state, in which both engines agree. To resume from a state, the engine must have
  // its parameters already.
  virtual void save_adam(TrainingState& state) = 0;
  virtual void set_adam(const TrainingState& state) = 0;
};

// Returns the options of the steps of a training on `train_beats` beats. `options.epochs` must be set.
inline VaeStepOptions step_options(const VaeOptions& options, std::int64_t train_beats) {
  const std::int64_t steps = (train_beats + options.batch_beats - 1) / options.batch_beats * *options.epochs;
  const double decay =
      steps > 1 ? std::pow(options.last_learning_rate / options.learning_rate, 1 / static_cast<double>(steps - 1)) : 1;
  return {options.batch_beats, options.kl_weight, options.learning_rate, decay};
}

// Makes the fused engine, for a topology that it covers. `epoch` is all training beats as one batch; its indices and
// eps are filled again before each run. Both engines go through it in the same order, so their results can be compared.
// The context, `options`, and the memory that `epoch` shows must outlive the engine.
template <class Context>
std::unique_ptr<EpochEngine> make_fused_engine(Context&, const VaeBatch& epoch, const VaeOptions& options,
                                               const TrainingStart& start);

// Returns the weights that a training starts with; none if it starts with the default initialisation.
inline const std::vector<NamedArray>& weights_of(const TrainingStart& start) {
  return start.state ? start.state->parameters : start.parameters;
}

// Returns Adam's moments of a parameter. Throws ErrorKind::internal if they are missing or of another size.
inline const NamedArray& moments_of(const std::vector<NamedArray>& arrays, const std::string& name, std::int64_t size) {
  const auto found = std::ranges::find(arrays, name, &NamedArray::name);
  BEATSCAN_EXPECTS(found != arrays.end() && std::ssize(found->values) == size, "train_vae: no moments of " + name);
  return *found;
}

}  // namespace beatscan
