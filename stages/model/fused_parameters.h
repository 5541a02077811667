// stages/model/fused_parameters.h — the parameters of the topology that the fused step covers, as one flat vector in
// the order of kernels/model/vae_layout.h.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stages/model/vae_output.h"

namespace beatscan {

struct VaeOptions;

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
