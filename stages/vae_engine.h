// stages/vae_engine.h — what runs an epoch: LibTorch's autograd, or the fused step.
#pragma once

#include <torch/types.h>

#include <memory>

#include "kernels/buffer.h"
#include "stages/vae_module.h"

namespace beatscan {

class EpochEngine {
 public:
  virtual ~EpochEngine() = default;
  // One epoch of training. Sum over the beats of each one's loss before the step of its batch.
  virtual double run() = 0;
};

// An epoch's input, filled anew before each run. Both engines read it alike, so their results can be compared.
template <class Context>
struct EpochInput {
  torch::Tensor rows;                   // [beats, D] training rows
  Buffer<std::int32_t, Context> order;  // [beats] shuffled indices of rows: the batches one after the other
  Buffer<float, Context> eps;           // [beats][Z] noise, in the same order
};

// The fused one where the module is flat. All arguments must outlive the engine.
template <class Context>
std::unique_ptr<EpochEngine> make_engine(Context&, const EpochInput<Context>& input, const VaeOptions& options,
                                         VaeModule& module);

}  // namespace beatscan
