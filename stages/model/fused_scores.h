// stages/model/fused_scores.h — scores rows in one fused pass with a flat vector of parameters.
#pragma once

#include <span>

#include "kernels/model/vae_step.h"
#include "stages/model/vae.h"

namespace beatscan {

// Scores a batch; see vae_score in kernels/model/vae_step.h. `parameters` are in the context's memory.
template <class Context>
RowScoreBuffers<Context> fused_scores(Context& context, const VaeBatch& batch, std::span<const float> parameters) {
  const std::int64_t beats = scored_beats(batch);
  RowScoreBuffers<Context> scores{{context, beats}, {context, beats}, {context, beats * vae::kLatents}};
  vae_score(context, batch, parameters, {scores.reconstruction_error, scores.kl, scores.latents});
  return scores;
}

}  // namespace beatscan
