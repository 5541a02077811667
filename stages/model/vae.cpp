#include "stages/model/vae.h"

#include <dlfcn.h>

#include <cstdlib>

#include "kernels/runtime/error.h"
#include "stages/common/rows.h"
#include "stages/model/fused_engine.h"
#include "stages/model/vae_library.h"
#include "stages/model/vae_output.h"

namespace beatscan {

std::string why_not_loaded(const std::string& reason) {
  const bool no_memory =
      reason.find("failed to map segment") != reason.npos || reason.find("annot allocate memory") != reason.npos;
  return "LibTorch cannot be loaded: " + reason +
         (no_memory ? "; allow the program more memory (ulimit -v, or that of the container)"
                    : "; install PyTorch, or the program, anew");
}

namespace {

// The Python package sets these: why the PyTorch beside it cannot be used, or the library that was compiled for it,
// whose version is not that of this program's own one (scripts/python/beatscan/autograd.py).
constexpr const char *kProblem = "BEATSCAN_NO_LIBTORCH", *kCompiled = "BEATSCAN_VAE_LIBRARY",
                     *kCompiledFor = "BEATSCAN_LIBTORCH_VERSION";

const VaeLibrary& load() {
  if (const char* problem = std::getenv(kProblem))
    throw Error(ErrorKind::internal, std::string("LibTorch cannot be loaded: ") + problem);
  if (libtorch_version().empty())
    throw Error(ErrorKind::internal, "LibTorch cannot be loaded: this program was built without it");
  const char* compiled = std::getenv(kCompiled);
  void* handle = dlopen(compiled ? compiled : "libbeatscan_vae.so", RTLD_NOW | RTLD_GLOBAL);
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

std::string libtorch_version() {
  const char* version = std::getenv(kCompiledFor);
  return version ? version : BEATSCAN_LIBTORCH_VERSION;
}

const VaeFunctions<Cuda>& VaeLibrary::on(const Cuda&) const {
  if (!cuda.make_engine)
    throw Error(ErrorKind::device, "this PyTorch is for the CPU; --device cpu works, or install PyTorch for CUDA");
  return cuda;
}

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

// Checks topologies, and determines which of them need LibTorch.

namespace {

// Returns the number of parameters of a model.
std::int64_t parameters_of(const VaeOptions& options, std::int64_t row_points) {
  const auto depth = options.channels.size();
  const auto convolution = [](std::int64_t in, std::int64_t out) { return in * out * 3 + out; };
  std::int64_t parameters = 1, in = 1;  // alpha
  for (const std::int64_t out : options.channels) {
    parameters += convolution(in, out);
    in = out;
  }
  parameters += 2 * convolution(in, options.latents);
  in /= 2;
  const std::int64_t restored = in * (row_points >> depth);
  parameters += options.latents * restored + restored;
  for (std::size_t i = 1; i < depth; ++i, in /= 2) parameters += convolution(in, in / 2);
  return parameters + convolution(in, 1);
}

}  // namespace

bool needs_libtorch(const VaeOptions& options, std::int64_t row_points) {
  return options.engine == VaeEngine::autograd || !fused_step_covers(options, row_points);
}

std::int64_t check_topology(const VaeOptions& options, std::int64_t row_points) {
  const auto refuse_channels = [](const std::string& what) { fail(ErrorKind::usage, "vae.channels", what); };
  const auto depth = options.channels.size();
  if (depth == 0 || depth > 16) refuse_channels("1 to 16 numbers are needed");
  if (options.channels.front() < 2 || options.channels.front() % 2 != 0) refuse_channels("the first must be even");
  for (std::size_t i = 1; i < depth; ++i)
    if (options.channels[i] != 2 * options.channels[i - 1]) refuse_channels("each must be twice the one before it");
  if (row_points <= 0 || row_points % (std::int64_t{1} << depth) != 0)
    refuse_channels("each halves the row once, so the " + std::to_string(row_points) +
                    " points of a row must be a multiple of 2^" + std::to_string(depth));
  if (options.engine == VaeEngine::fused && !fused_step_covers(options, row_points))
    fail(ErrorKind::usage, "vae.engine",
         "\"fused\" is for channels [4, 8, 16], 2 latents and rows of 256 points; \"auto\" takes any");
  return parameters_of(options, row_points);
}

}  // namespace beatscan
