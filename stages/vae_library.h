// stages/vae_library.h — what libbeatscan_vae.so, the only part that is linked with LibTorch, hands out to vae.cpp.
//
// A library of its own because LibTorch takes 0.2 s to load: the program starts, and reads its input, without it.
#pragma once

#include <string>
#include <vector>

#include "stages/vae.h"

namespace beatscan {

struct VaeLibrary {
  template <class Context>
  using Train = VaeResult(Context&, const Rows<Context>&, const VaeOptions&, const TrainingStart&, const EpochReport&);
  template <class Context>
  using Score = RowScores(Context&, const VaeModel&, const Rows<Context>&);

  Train<Cpu>* train_on_cpu;
  Train<Cuda>* train_on_cuda;  // null in a build without CUDA
  Score<Cpu>* score_on_cpu;
  Score<Cuda>* score_on_cuda;
  std::vector<NamedArray> (*parameters)(const VaeModel&);
  std::string (*libtorch_version)();
};

}  // namespace beatscan

extern "C" const beatscan::VaeLibrary* beatscan_vae_library();
