// stages/vae/vae_library.h — the functions of libbeatscan_vae.so, which vae.cpp calls.
//
// The library is the only part that is linked with LibTorch. LibTorch takes 0.2 s to load, so the program starts and
// reads its input without it.
#pragma once

#include <string>
#include <vector>

#include "kernels/vae/vae_layout.h"
#include "stages/vae/vae.h"

namespace beatscan {

// Tells whether the fused step of kernels/vae/vae_step.h covers the topology.
inline bool fused_step_covers(const VaeOptions& options, std::int64_t row_points) {
  return options.channels == std::vector<int>{vae::kConv0.out, vae::kConv1.out, vae::kConv2.out} &&
         options.latents == vae::kLatents && row_points == vae::kPoints;
}

// The functions of vae.h on one context.
template <class Context>
struct VaeFunctions {
  VaeResult (*train)(Context&, const Rows<Context>&, const VaeOptions&, const TrainingStart&, const EpochReport&);
  RowScoreBuffers<Context> (*score)(Context&, const VaeModel&, const Rows<Context>&);
  Buffer<float, Context> (*decoded_errors)(Context&, const VaeModel&, const Rows<Context>&, std::span<const float>);
  std::vector<float> (*decoded_rows)(Context&, const VaeModel&, std::span<const float>);
};

struct VaeLibrary {
  VaeFunctions<Cpu> cpu;
  VaeFunctions<Cuda> cuda;  // null pointers in a build without CUDA
  std::vector<NamedArray> (*parameters)(const VaeModel&);
  std::string (*libtorch_version)();

  const VaeFunctions<Cpu>& on(const Cpu&) const { return cpu; }
  const VaeFunctions<Cuda>& on(const Cuda&) const { return cuda; }
};

// Says why the library could not be loaded, and what to do. `reason` is what the loader says.
std::string why_not_loaded(const std::string& reason);

}  // namespace beatscan

// The only symbol that is looked up in the library.
extern "C" const beatscan::VaeLibrary* beatscan_vae_library();
