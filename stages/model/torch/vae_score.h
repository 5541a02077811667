// stages/model/torch/vae_score.h — scores rows and decodes latents with the LibTorch module.
#pragma once

#include "kernels/runtime/buffer.h"
#include "stages/model/vae.h"

namespace beatscan {

template <class Context>
struct Rows;

// The most rows that go through the module at a time, which bounds the memory for activations.
inline constexpr std::int64_t kEvaluationBatch = 4096;

// The functions below are documented at score_rows, decoded_errors and decoded_rows in vae.h.
template <class Context>
RowScoreBuffers<Context> module_scores(Context&, const VaeModel& model, const Rows<Context>& rows);

template <class Context>
Buffer<float, Context> module_decoded_errors(Context&, const VaeModel& model, const Rows<Context>& rows,
                                             std::span<const float> latents);

template <class Context>
std::vector<float> module_decoded_rows(Context&, const VaeModel& model, std::span<const float> latents);

}  // namespace beatscan
