#include "stages/model/vae_library.h"

#include "stages/model/torch/vae_engine.h"
#include "stages/model/torch/vae_score.h"

const beatscan::VaeLibrary* beatscan_vae_library() {
  using namespace beatscan;
  static constexpr VaeFunctions<Cpu> kOnCpu{make_autograd_engine<Cpu>, module_scores<Cpu>, module_decoded_errors<Cpu>,
                                            module_decoded_rows<Cpu>};
#ifdef BEATSCAN_WITH_CUDA
  static constexpr VaeFunctions<Cuda> kOnCuda{make_autograd_engine<Cuda>, module_scores<Cuda>,
                                              module_decoded_errors<Cuda>, module_decoded_rows<Cuda>};
#else
  static constexpr VaeFunctions<Cuda> kOnCuda{};
#endif
  static constexpr auto kParameters = [](const VaeModel& model) { return parameters_of(model.module()); };
  static constexpr VaeLibrary kLibrary{kOnCpu, kOnCuda, kParameters};
  return &kLibrary;
}
