#include "stages/model/vae.h"

#include <dlfcn.h>

#include <cstdlib>

#include "kernels/runtime/error.h"
#include "stages/common/rows.h"
#include "stages/model/fused_parameters.h"
#include "stages/model/fused_scores.h"
#include "stages/model/vae_library.h"

namespace beatscan {

std::string why_not_loaded(const std::string& reason) {
  const bool no_memory =
      reason.find("failed to map segment") != reason.npos || reason.find("annot allocate memory") != reason.npos;
  return "LibTorch cannot be loaded: " + reason +
         (no_memory ? "; allow the program more memory (ulimit -v, or that of the container)"
                    : "; install PyTorch, or the program, anew");
}

namespace {

const VaeLibrary& load() {
  // The Python package sets this where the PyTorch beside it is of another version, whose libraries would be loaded.
  if (const char* problem = std::getenv("BEATSCAN_NO_LIBTORCH"))
    throw Error(ErrorKind::internal, std::string("LibTorch cannot be loaded: ") + problem);
  void* handle = dlopen("libbeatscan_vae.so", RTLD_NOW | RTLD_GLOBAL);
  if (!handle) throw Error(ErrorKind::internal, why_not_loaded(dlerror()));
  const auto get = reinterpret_cast<decltype(&beatscan_vae_library)>(dlsym(handle, "beatscan_vae_library"));
  if (!get) throw Error(ErrorKind::internal, std::string("libbeatscan_vae.so is not of this version: ") + dlerror());
  return *get();
}

}  // namespace

const VaeLibrary& vae_library() {
  static const VaeLibrary& loaded = load();
  return loaded;
}

void prepare_openmp(int threads) {
  setenv("OMP_WAIT_POLICY", "passive", 0);
  for (const char* name : {"OMP_NUM_THREADS", "MKL_NUM_THREADS"}) setenv(name, std::to_string(threads).c_str(), 1);
}

std::string libtorch_version() { return BEATSCAN_LIBTORCH_VERSION; }

std::string load_libtorch() {
  try {
    vae_library();
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

template <class Context>
RowScoreBuffers<Context> score_rows(Context& context, const VaeModel& model, const Rows<Context>& rows) {
  if (!model.is_fused()) return vae_library().on(context).score(context, model, rows);
  return fused_scores(context, {rows.values, {}, {}}, from_host(context, model.fused()));
}

template <class Context>
Buffer<float, Context> decoded_errors(Context& context, const VaeModel& model, const Rows<Context>& rows,
                                      std::span<const float> latents) {
  if (!model.is_fused()) return vae_library().on(context).decoded_errors(context, model, rows, latents);
  Buffer<float, Context> errors(context, rows.count);
  vae_decoded_error(context, rows.values, latents, from_host(context, model.fused()), errors);
  return errors;
}

template <class Context>
std::vector<float> decoded_rows(Context& context, const VaeModel& model, std::span<const float> latents) {
  if (!model.is_fused()) return vae_library().on(context).decoded_rows(context, model, latents);
  std::vector<float> rows(std::ssize(latents) / vae::kLatents * vae::kPoints);
  vae_decode(latents, model.fused(), rows);
  return rows;
}

#define BEATSCAN_VAE(Context)                                                                     \
  template RowScoreBuffers<Context> score_rows(Context&, const VaeModel&, const Rows<Context>&);  \
  template Buffer<float, Context> decoded_errors(Context&, const VaeModel&, const Rows<Context>&, \
                                                 std::span<const float>);                         \
  template std::vector<float> decoded_rows(Context&, const VaeModel&, std::span<const float>);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_VAE)

std::vector<NamedArray> VaeModel::parameters() const {
  return is_fused() ? named_parameters(fused_) : vae_library().parameters(*this);
}

}  // namespace beatscan
