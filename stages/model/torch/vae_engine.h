// stages/model/torch/vae_engine.h — computes the epochs of a training by LibTorch's autograd.
#pragma once

#include <memory>

#include "stages/model/epoch_engine.h"

namespace beatscan {

class VaeModule;

// Makes an engine for any topology; see make_fused_engine in stages/model/epoch_engine.h.
template <class Context>
std::unique_ptr<EpochEngine> make_autograd_engine(Context&, const VaeBatch& epoch, const VaeOptions& options,
                                                  std::int64_t row_points, const TrainingStart& start);

// Returns the parameters of a module, on the host.
std::vector<NamedArray> parameters_of(const VaeModule& module);

}  // namespace beatscan
