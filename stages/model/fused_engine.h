// stages/model/fused_engine.h — the engine of the fused training kernel: its parameters, and the scores of rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/model/vae_step.h"
#include "stages/model/vae.h"
#include "stages/model/vae_output.h"

namespace beatscan {

// Scores a batch; see vae_score in kernels/model/vae_step.h. `parameters` are in the context's memory.
template <class Context>
RowScoreBuffers<Context> fused_scores(Context& context, const VaeBatch& batch, std::span<const float> parameters) {
  const std::int64_t beats = scored_beats(batch);
  RowScoreBuffers<Context> scores{{context, beats}, {context, beats}, {context, beats * vae::kLatents}};
  vae_score(context, batch, parameters, {scores.reconstruction_error, scores.kl, scores.latents});
  return scores;
}

// The parameters of the topology that the fused step covers, as one flat vector in
// the order of kernels/model/vae_layout.h.

// Returns whether the fused step of kernels/model/vae_step.h covers the topology.
bool fused_step_covers(const VaeOptions& options, std::int64_t row_points);

// Returns [1618], the weights that LibTorch's module of this topology starts with after torch::manual_seed(seed): each
// weight and bias from the uniform distribution over +- 1 / sqrt(fan in) (torch/csrc/api/src/nn/init.cpp), and
// alpha = 1.
std::vector<float> initial_parameters(std::uint64_t seed);

// Returns the parameters one by one, with the names and shapes of LibTorch's module. A wrong shape throws
// ErrorKind::internal.
//   flat  [1618]
std::vector<NamedArray> named_parameters(std::span<const float> flat);

// Puts named parameters together to the flat vector, [1618]. They may come in any order. Those of another topology
// throw ErrorKind::internal.
std::vector<float> flat_parameters(const std::vector<NamedArray>& arrays);

}  // namespace beatscan
