// stages/vae/vae_library.h — what libbeatscan_vae.so, the only part that is linked with LibTorch, hands out to vae.cpp.
//
// A library of its own because LibTorch takes 0.2 s to load: the program starts, and reads its input, without it.
#pragma once

#include <string>
#include <vector>

#include "kernels/vae/vae_layout.h"
#include "stages/vae/vae.h"

namespace beatscan {

// Whether kernels/vae/vae_step.h covers the topology.
inline bool fused_step_covers(const VaeOptions& options, std::int64_t row_points) {
  return options.channels == std::vector<int>{vae::kConv0.out, vae::kConv1.out, vae::kConv2.out} &&
         options.latents == vae::kLatents && row_points == vae::kPoints;
}

struct VaeLibrary {
  template <class Context>
  using Train = VaeResult(Context&, const Rows<Context>&, const VaeOptions&, const TrainingStart&, const EpochReport&);
  template <class Context>
  using Score = RowScoreBuffers<Context>(Context&, const VaeModel&, const Rows<Context>&);
  template <class Context>
  using DecodedErrors = Buffer<float, Context>(Context&, const VaeModel&, const Rows<Context>&, std::span<const float>);
  template <class Context>
  using DecodedRows = std::vector<float>(Context&, const VaeModel&, std::span<const float>);

  Train<Cpu>* train_on_cpu;
  Train<Cuda>* train_on_cuda;  // null in a build without CUDA
  Score<Cpu>* score_on_cpu;
  Score<Cuda>* score_on_cuda;
  DecodedErrors<Cpu>* decoded_errors_on_cpu;
  DecodedErrors<Cuda>* decoded_errors_on_cuda;
  DecodedRows<Cpu>* decoded_rows_on_cpu;
  DecodedRows<Cuda>* decoded_rows_on_cuda;
  std::vector<NamedArray> (*parameters)(const VaeModel&);
  std::string (*libtorch_version)();
};

}  // namespace beatscan

extern "C" const beatscan::VaeLibrary* beatscan_vae_library();
