// stages/vae/torch/vae_engine.h — what computes the epochs: LibTorch's autograd, or the fused step.
#pragma once

#include <memory>

#include "kernels/vae/vae_step.h"
#include "stages/vae/torch/vae_module.h"

namespace beatscan {

class EpochEngine {
 public:
  virtual ~EpochEngine() = default;
  // One epoch of training. Sum over its beats of each one's loss before the step of its batch.
  virtual double run() = 0;
  // Sum over a batch's beats of each one's loss, as the model is now.
  virtual double loss(const VaeBatch& batch) = 0;
  // Brings the module's parameters up to date; until then they may be those of the start.
  virtual void update_module() = 0;
  // Adam's part of a state, which both engines read and write alike. To go on from one, the module has its parameters.
  virtual void save_adam(TrainingState& state) = 0;
  virtual void set_adam(const TrainingState& state) = 0;
};

// The fused engine where the module is flat. `epoch` is all training beats as one batch, its indices and eps filled
// anew before each run. Both engines read it alike, so their results can be compared. All arguments, and the memory of
// `epoch`, must outlive the engine.
template <class Context>
std::unique_ptr<EpochEngine> make_engine(Context&, const VaeBatch& epoch, const VaeOptions& options, VaeModule& module);

}  // namespace beatscan
