// stages/vae/torch/vae_score.h — scores rows and decodes latents with the LibTorch module, or with its parameters in
// one fused pass.
#pragma once

#include "kernels/vae/vae_step.h"
#include "stages/vae/torch/vae_module.h"
#include "stages/vae/vae_library.h"

namespace beatscan {

// The most rows that go through the module at a time, which bounds the memory for activations.
inline constexpr std::int64_t kEvaluationBatch = 4096;

// Scores a batch in one fused pass; see vae_score in kernels/vae/vae_step.h. `parameters` are in the context's memory.
template <class Context>
RowScoreBuffers<Context> fused_scores(Context&, const VaeBatch& batch, std::span<const float> parameters);

// The functions below do what score_rows, decoded_errors and decoded_rows in vae.h say. They use the fused pass if the
// module is flat.
template <class Context>
RowScoreBuffers<Context> score_with_module(Context&, const VaeModel& model, const Rows<Context>& rows);

template <class Context>
Buffer<float, Context> decoded_errors_of(Context&, const VaeModel& model, const Rows<Context>& rows,
                                         std::span<const float> latents);

template <class Context>
std::vector<float> decoded_rows_of(Context&, const VaeModel& model, std::span<const float> latents);

}  // namespace beatscan
