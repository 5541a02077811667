// stages/vae/torch/vae_engine.h — computes the epochs of a training by LibTorch's autograd, or by the fused step.
#pragma once

#include <memory>

#include "kernels/vae/vae_step.h"
#include "stages/vae/torch/vae_module.h"

namespace beatscan {

class EpochEngine {
 public:
  virtual ~EpochEngine() = default;
  // Trains one epoch. Returns the sum of its beats' losses, each before the step of its batch.
  virtual double run() = 0;
  // Returns the sum of the losses of a batch's beats by the model as it is now.
  virtual double loss(const VaeBatch& batch) = 0;
  // Brings the module's parameters up to date; before, they may be those of the start.
  virtual void update_module() = 0;
  // Write and read Adam's part of a state, in which both engines agree. To go on from a state, the module must have its
  // parameters already.
  virtual void save_adam(TrainingState& state) = 0;
  virtual void set_adam(const TrainingState& state) = 0;
};

// Makes the fused engine if the module is flat, else the one by autograd. `epoch` is all training beats as one batch;
// its indices and eps are filled anew before each run. Both engines go through it in the same order, so their results
// can be compared. All arguments, and the memory of `epoch`, must outlive the engine.
template <class Context>
std::unique_ptr<EpochEngine> make_engine(Context&, const VaeBatch& epoch, const VaeOptions& options, VaeModule& module);

}  // namespace beatscan
