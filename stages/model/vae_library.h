// stages/model/vae_library.h — the functions of libbeatscan_vae.so, which vae.cpp calls.
//
// The library is the only part that is linked with libtorch, which takes 0.2 s to load: the program works without it
// where it can.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "stages/model/epoch_engine.h"

namespace beatscan {

template <class Context>
struct Rows;

// Autograd's engine, and the functions of vae.h with models that are not fused, on one context.
template <class Context>
struct VaeFunctions {
  std::unique_ptr<EpochEngine> (*make_engine)(Context&, const VaeBatch& epoch, const VaeOptions&,
                                              std::int64_t row_points, const TrainingStart&);
  RowScoreBuffers<Context> (*score)(Context&, const VaeModel&, const Rows<Context>&);
  Buffer<float, Context> (*decoded_errors)(Context&, const VaeModel&, const Rows<Context>&, std::span<const float>);
  std::vector<float> (*decoded_rows)(Context&, const VaeModel&, std::span<const float>);
};

struct VaeLibrary {
  VaeFunctions<Cpu> cpu;
  VaeFunctions<Cuda> cuda;  // null pointers where LibTorch is for the CPU
  std::vector<NamedArray> (*parameters)(const VaeModel&);

  const VaeFunctions<Cpu>& on(const Cpu&) const { return cpu; }
  const VaeFunctions<Cuda>& on(const Cuda&) const;  // throws ErrorKind::device without LibTorch for GPUs
};

// Returns the library, and loads it at the first call. Throws ErrorKind::internal.
const VaeLibrary& vae_library();

// Returns why the library could not be loaded, and what to do. `reason` is the loader's message.
std::string why_not_loaded(const std::string& reason);

}  // namespace beatscan

// The only symbol that is looked up in the library.
extern "C" const beatscan::VaeLibrary* beatscan_vae_library();
