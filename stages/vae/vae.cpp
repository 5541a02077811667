// This file has the part of vae.h that needs no LibTorch: it checks topologies, and calls the library that has the
// rest.
#include "stages/vae/vae.h"

#include <dlfcn.h>

#include <cstdlib>
#include <utility>

#include "kernels/runtime/error.h"
#include "stages/vae/vae_library.h"

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
  void* handle = dlopen("libbeatscan_vae.so", RTLD_NOW | RTLD_GLOBAL);
  if (!handle) throw Error(ErrorKind::internal, why_not_loaded(dlerror()));
  const auto get = reinterpret_cast<decltype(&beatscan_vae_library)>(dlsym(handle, "beatscan_vae_library"));
  if (!get) throw Error(ErrorKind::internal, std::string("libbeatscan_vae.so is not of this version: ") + dlerror());
  return *get();
}

const VaeLibrary& library() {
  static const VaeLibrary& loaded = load();
  return loaded;
}

// Returns the number of parameters of a model.
std::int64_t parameters_of(const VaeOptions& options, std::int64_t row_points) {
  const auto depth = options.channels.size();
  const auto convolution = [](std::int64_t in, std::int64_t out) { return in * out * 3 + out; };
  std::int64_t parameters = 1, in = 1;  // alpha
  for (const std::int64_t out : options.channels) parameters += convolution(std::exchange(in, out), out);
  parameters += 2 * convolution(in, options.latents);
  in /= 2;
  const std::int64_t restored = in * (row_points >> depth);
  parameters += options.latents * restored + restored;
  for (std::size_t i = 1; i < depth; ++i) parameters += convolution(std::exchange(in, in / 2), in / 2);
  return parameters + convolution(in, 1);
}

}  // namespace

void prepare_openmp(int threads) {
  setenv("OMP_WAIT_POLICY", "passive", 0);
  for (const char* name : {"OMP_NUM_THREADS", "MKL_NUM_THREADS"}) setenv(name, std::to_string(threads).c_str(), 1);
}

void preload_vae() {
  try {
    library();
  } catch (...) {  // the first function that needs the library meets and reports the same failure
  }
}

template <class Context>
VaeResult train_vae(Context& context, const Rows<Context>& rows, const VaeOptions& options, const TrainingStart& start,
                    const EpochReport& on_epoch) {
  check_topology(options, rows.points);
  return library().on(context).train(context, rows, options, start, on_epoch);
}

template <class Context>
RowScoreBuffers<Context> score_rows(Context& context, const VaeModel& model, const Rows<Context>& rows) {
  return library().on(context).score(context, model, rows);
}

template <class Context>
Buffer<float, Context> decoded_errors(Context& context, const VaeModel& model, const Rows<Context>& rows,
                                      std::span<const float> latents) {
  return library().on(context).decoded_errors(context, model, rows, latents);
}

template <class Context>
std::vector<float> decoded_rows(Context& context, const VaeModel& model, std::span<const float> latents) {
  return library().on(context).decoded_rows(context, model, latents);
}

#define BEATSCAN_VAE(Context)                                                                           \
  template VaeResult train_vae(Context&, const Rows<Context>&, const VaeOptions&, const TrainingStart&, \
                               const EpochReport&);                                                     \
  template RowScoreBuffers<Context> score_rows(Context&, const VaeModel&, const Rows<Context>&);        \
  template Buffer<float, Context> decoded_errors(Context&, const VaeModel&, const Rows<Context>&,       \
                                                 std::span<const float>);                               \
  template std::vector<float> decoded_rows(Context&, const VaeModel&, std::span<const float>);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_VAE)

std::vector<NamedArray> VaeModel::parameters() const { return library().parameters(*this); }

std::string libtorch_version() { return library().libtorch_version(); }

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
