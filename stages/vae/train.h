// stages/vae/train.h — goes through the epochs of a training with either engine.
#pragma once

#include "stages/vae/vae.h"

namespace beatscan {

// Does what train_vae() in vae.h says, for a topology that was checked.
template <class Context>
VaeResult train(Context&, const Rows<Context>& rows, const VaeOptions& options, const TrainingStart& start,
                const EpochReport& on_epoch);

}  // namespace beatscan
