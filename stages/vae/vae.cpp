// The part of vae.h that needs no LibTorch: checks, and the way into the library that has it.
#include "stages/vae/vae.h"

#include <dlfcn.h>

#include <cstdlib>
#include <utility>

#include "kernels/runtime/error.h"
#include "stages/vae/vae_library.h"

namespace beatscan {
namespace {

const VaeLibrary& load() {
  void* handle = dlopen("libbeatscan_vae.so", RTLD_NOW | RTLD_GLOBAL);
  if (!handle) throw Error(ErrorKind::internal, std::string("LibTorch cannot be loaded: ") + dlerror());
  const auto get = reinterpret_cast<decltype(&beatscan_vae_library)>(dlsym(handle, "beatscan_vae_library"));
  if (!get) throw Error(ErrorKind::internal, std::string("libbeatscan_vae.so is not of this version: ") + dlerror());
  return *get();
}

const VaeLibrary& library() {
  static const VaeLibrary& loaded = load();
  return loaded;
}

}  // namespace

void prepare_openmp(int threads) {
  setenv("OMP_WAIT_POLICY", "passive", 0);
  for (const char* name : {"OMP_NUM_THREADS", "MKL_NUM_THREADS"}) setenv(name, std::to_string(threads).c_str(), 1);
}

void preload_vae() {
  try {
    library();
  } catch (...) {  // whatever needs it will meet, and report, the same
  }
}

template <>
VaeResult train_vae(Cpu& cpu, const Rows<Cpu>& rows, const VaeOptions& options, const TrainingStart& start,
                    const EpochReport& on_epoch) {
  check_topology(options, rows.points);
  return library().train_on_cpu(cpu, rows, options, start, on_epoch);
}

template <>
RowScoreBuffers<Cpu> score_rows(Cpu& cpu, const VaeModel& model, const Rows<Cpu>& rows) {
  return library().score_on_cpu(cpu, model, rows);
}

template <>
Buffer<float, Cpu> decoded_errors(Cpu& cpu, const VaeModel& model, const Rows<Cpu>& rows,
                                  std::span<const float> latents) {
  return library().decoded_errors_on_cpu(cpu, model, rows, latents);
}

template <>
std::vector<float> decoded_rows(Cpu& cpu, const VaeModel& model, std::span<const float> latents) {
  return library().decoded_rows_on_cpu(cpu, model, latents);
}

#ifdef BEATSCAN_WITH_CUDA
template <>
std::vector<float> decoded_rows(Cuda& cuda, const VaeModel& model, std::span<const float> latents) {
  return library().decoded_rows_on_cuda(cuda, model, latents);
}

template <>
Buffer<float, Cuda> decoded_errors(Cuda& cuda, const VaeModel& model, const Rows<Cuda>& rows,
                                   std::span<const float> latents) {
  return library().decoded_errors_on_cuda(cuda, model, rows, latents);
}

template <>
VaeResult train_vae(Cuda& cuda, const Rows<Cuda>& rows, const VaeOptions& options, const TrainingStart& start,
                    const EpochReport& on_epoch) {
  check_topology(options, rows.points);
  return library().train_on_cuda(cuda, rows, options, start, on_epoch);
}

template <>
RowScoreBuffers<Cuda> score_rows(Cuda& cuda, const VaeModel& model, const Rows<Cuda>& rows) {
  return library().score_on_cuda(cuda, model, rows);
}
#endif

std::vector<NamedArray> VaeModel::parameters() const { return library().parameters(*this); }

std::string libtorch_version() { return library().libtorch_version(); }

std::int64_t check_topology(const VaeOptions& options, std::int64_t row_points) {
  const auto fail = [](const std::string& what) { throw Error(ErrorKind::usage, "vae." + what); };
  const auto depth = options.channels.size();
  if (depth == 0 || depth > 16) fail("channels: 1 to 16 numbers are needed");
  if (options.channels.front() < 2 || options.channels.front() % 2 != 0) fail("channels: the first is even");
  for (std::size_t i = 1; i < depth; ++i)
    if (options.channels[i] != 2 * options.channels[i - 1]) fail("channels: each is twice the one before it");
  if (row_points <= 0 || row_points % (std::int64_t{1} << depth) != 0)
    fail("channels: each halves the row once, so the " + std::to_string(row_points) +
         " points of a row have to be a multiple of 2^" + std::to_string(depth));
  if (options.engine == VaeEngine::fused && !fused_step_covers(options, row_points))
    fail("engine: \"fused\" is for channels [4, 8, 16], 2 latents and rows of 256 points; \"auto\" takes any");

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

}  // namespace beatscan
