// stages/vae_score.h — scoring with the LibTorch module, or with its parameters in one fused pass.
#pragma once

#include "stages/vae_library.h"
#include "stages/vae_module.h"

namespace beatscan {

// Rows that go through the module at a time: bounds the memory for activations.
inline constexpr std::int64_t kEvaluationBatch = 4096;

// The fused pass where the module is flat.
template <class Context>
RowScores score_with_module(Context&, const VaeModel& model, const Rows<Context>& rows);

}  // namespace beatscan
