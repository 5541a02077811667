#include "kernels/signal/convolve_circular.h"

#include <cuda_runtime.h>
#include <cufft.h>
#include <dlfcn.h>

#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>

#include "kernels/runtime/error.h"
#include "kernels/runtime/launch.cuh"

namespace beatscan {

namespace {

// The functions of cuFFT that are used.
struct Cufft {
  decltype(&cufftCreate) create;
  decltype(&cufftSetAutoAllocation) set_auto_allocation;
  decltype(&cufftSetStream) set_stream;
  decltype(&cufftMakePlanMany) make_plan_many;
  decltype(&cufftSetWorkArea) set_work_area;
  decltype(&cufftDestroy) destroy;
  decltype(&cufftExecR2C) forward_float;
  decltype(&cufftExecC2R) inverse_float;
  decltype(&cufftExecD2Z) forward_double;
  decltype(&cufftExecZ2D) inverse_double;
};

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (!function) throw Error(ErrorKind::device, std::string("cuFFT lacks a function: ") + dlerror());
}

Cufft functions_of_cufft() {
  const std::string name = "libcufft.so." + std::to_string(CUFFT_VER_MAJOR);
  void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw Error(ErrorKind::device,
                std::string("cuFFT cannot be loaded: ") + dlerror() + "; install it, or use --device cpu");
  Cufft cufft;
  find(library, "cufftCreate", cufft.create);
  find(library, "cufftSetAutoAllocation", cufft.set_auto_allocation);
  find(library, "cufftSetStream", cufft.set_stream);
  find(library, "cufftMakePlanMany", cufft.make_plan_many);
  find(library, "cufftSetWorkArea", cufft.set_work_area);
  find(library, "cufftDestroy", cufft.destroy);
  find(library, "cufftExecR2C", cufft.forward_float);
  find(library, "cufftExecC2R", cufft.inverse_float);
  find(library, "cufftExecD2Z", cufft.forward_double);
  find(library, "cufftExecZ2D", cufft.inverse_double);
  return cufft;
}

// Loads cuFFT where it is first needed: the library has some 290 MB, and the default method does without it.
const Cufft& cufft() {
  static const Cufft loaded = functions_of_cufft();
  return loaded;
}

void check_fft(cufftResult result, const char* call) {
  if (result != CUFFT_SUCCESS)
    throw Error(ErrorKind::device,
                std::string("cuFFT: error ") + std::to_string(static_cast<int>(result)) + " in " + call);
}

// Lets one thread at a time call cuFFT. Where twelve threads made their first plans concurrently (CUDA 13.0), kernels
// of cuFFT met an illegal memory access, which ends all work on the GPU: they probably read a table that did not exist
// yet.
std::unique_lock<std::mutex> cufft_lock() {
  static auto* mutex = new std::mutex;  // never deleted: a context may end after this file's objects
  return std::unique_lock(*mutex);
}

class Plan {
 public:
  // Waits for the default stream, on which cuFFT may fill its tables: the plan's own stream does not wait for it.
  Plan(int n, int count, cufftType type, CUstream_st* stream) : Plan() {
    const auto lock = cufft_lock();
    check_fft(cufft().set_auto_allocation(handle_, 0), "cufftSetAutoAllocation");
    check_fft(cufft().set_stream(handle_, stream), "cufftSetStream");
    const bool inverse = type == CUFFT_C2R || type == CUFFT_Z2D;
    int reals = n + 2, complexes = n / 2 + 1;  // numbers from one block to the next
    int& from = inverse ? complexes : reals;
    int& to = inverse ? reals : complexes;
    check_fft(cufft().make_plan_many(handle_, 1, &n, &from, 1, from, &to, 1, to, type, count, &work_bytes_),
              "cufftMakePlanMany");
    BEATSCAN_CUDA_CHECK(cudaStreamSynchronize(cudaStreamLegacy));
  }
  ~Plan() {
    const auto lock = cufft_lock();
    cufft().destroy(handle_);
  }
  Plan(const Plan&) = delete;

  // Returns the plan with memory to work in. `room` must live until the transform is queued.
  cufftHandle with_work_area(Cuda& cuda, Buffer<char, Cuda>& room) const {
    room = Buffer<char, Cuda>(cuda, static_cast<std::int64_t>(work_bytes_));
    check_fft(cufft().set_work_area(handle_, room.data()), "cufftSetWorkArea");
    return handle_;
  }

 private:
  // Makes an empty plan. The other constructor begins with this one, so that the object counts as made: its destructor
  // runs if the rest throws.
  Plan() {
    const auto lock = cufft_lock();
    check_fft(cufft().create(&handle_), "cufftCreate");
  }

  cufftHandle handle_ = 0;
  std::size_t work_bytes_ = 0;
};

}  // namespace

void load_cufft() { cufft(); }

// Keeps plans, because making a plan takes longer than using it.
class FftPlans {
 public:
  const Plan& get(int n, int count, cufftType type, CUstream_st* stream) {
    const auto key = std::tuple(n, count, type);
    if (plans_.size() >= kMost && !plans_.contains(key)) plans_.clear();
    return plans_.try_emplace(key, n, count, type, stream).first->second;
  }

 private:
  static constexpr std::size_t kMost = 8;
  std::map<std::tuple<int, int, cufftType>, Plan> plans_;
};

FftPlans& Cuda::fft_plans() {
  if (!fft_plans_) fft_plans_ = std::make_shared<FftPlans>();
  return *fft_plans_;
}

namespace {

void execute(cufftHandle plan, float* data, bool inverse) {
  auto* spectrum = reinterpret_cast<cufftComplex*>(data);
  check_fft(inverse ? cufft().inverse_float(plan, spectrum, data) : cufft().forward_float(plan, data, spectrum),
            "cufftExec");
}

void execute(cufftHandle plan, double* data, bool inverse) {
  auto* spectrum = reinterpret_cast<cufftDoubleComplex*>(data);
  check_fft(inverse ? cufft().inverse_double(plan, spectrum, data) : cufft().forward_double(plan, data, spectrum),
            "cufftExec");
}

template <class Real>
cufftType type_of(bool inverse) {
  if constexpr (std::is_same_v<Real, float>) return inverse ? CUFFT_C2R : CUFFT_R2C;
  return inverse ? CUFFT_Z2D : CUFFT_D2Z;
}

}  // namespace

template <class Real>
void transform_blocks(Cuda& cuda, std::span<Real> blocks, int n, int count, bool inverse) {
  BEATSCAN_EXPECTS(n > 0 && n % 2 == 0 && static_cast<std::int64_t>(blocks.size()) == std::int64_t{n + 2} * count,
                   "transform_blocks: odd length, or not [count][n + 2]");
  Buffer<char, Cuda> room;
  const Plan& plan = cuda.fft_plans().get(n, count, type_of<Real>(inverse), cuda.stream());
  const auto lock = cufft_lock();
  execute(plan.with_work_area(cuda, room), blocks.data(), inverse);
}

template void transform_blocks(Cuda&, std::span<float>, int, int, bool);
template void transform_blocks(Cuda&, std::span<double>, int, int, bool);

namespace {

// Samples that are worked on at a time. They fill the GPU and stay in its second-level cache.
constexpr int kSlabSamples = 1 << 22;

// Cuts a signal into slabs of `count` blocks. Block b of the slab that begins with output `first` holds `length`
// samples. The first of them is taps - 1 samples before the one of output first + b * step. The block gives `step`
// outputs, after its first taps - 1.
struct Blocks {
  int length, overlap, count;  // overlap = taps - 1
  __host__ __device__ int step() const { return length - overlap; }
  __host__ __device__ int stride() const { return length + 2; }  // room for the spectrum
};

// Chooses blocks that repeat at most an eighth of the samples.
Blocks blocks_for_taps(int taps) {
  int length = 2048;
  while (length < 8 * taps) length *= 2;
  return {length, taps - 1, kSlabSamples / length};
}

template <class Real>
struct Complex {
  Real re, im;
};

// A signal whose ends meet.
struct CircularSignal {
  const float* samples;
  std::int64_t size;
  std::int64_t end;  // from here on no sample is needed

  __device__ float at(std::int64_t i) const { return samples[i < 0 ? i + size : i < size ? i : i - size]; }
};

// Computes the spectrum of the taps at the block's length, sum over j of taps[j] e^(-2 pi i j k / length), scaled by
// 1 / length, and after it the sum of the taps. One thread computes one frequency, by Horner's rule in float64.
template <class Real>
__global__ void tap_spectrum_kernel(const double* __restrict__ taps, int width, int length,
                                    Complex<Real>* __restrict__ spectrum) {
  const auto k = static_cast<int>(global_thread());
  if (k > length / 2) return;
  double sine, cosine;
  sincospi(-2.0 * k / length, &sine, &cosine);
  double re = 0, im = 0;
  for (int j = width - 1; j >= 0; --j) {
    const double next = re * cosine - im * sine + taps[j];
    im = re * sine + im * cosine;
    re = next;
  }
  spectrum[k] = {static_cast<Real>(re / length), static_cast<Real>(im / length)};
  if (k == 0) spectrum[length / 2 + 1] = {static_cast<Real>(re), 0};
}

// Cuts a slab that begins with sample `first` of the signal into blocks. One thread works on one sample of block
// blockIdx.y. The block's first sample is subtracted from all of them: a large constant, such as the offset of raw
// converter counts, would take float32's digits away from what varies.
template <class Real>
__global__ void cut_kernel(CircularSignal signal, std::int64_t first, Blocks blocks, Real* __restrict__ slab) {
  const auto i = static_cast<int>(global_thread());
  if (i >= blocks.length) return;
  const std::int64_t start = first + static_cast<std::int64_t>(blockIdx.y) * blocks.step();
  slab[static_cast<std::int64_t>(blockIdx.y) * blocks.stride() + i] =
      start + i < signal.end ? static_cast<Real>(signal.at(start + i)) - static_cast<Real>(signal.at(start)) : Real{0};
}

// Multiplies the blocks' spectra by that of the taps. One thread works on one frequency.
template <class Real>
__global__ void multiply_kernel(const Complex<Real>* __restrict__ taps, Blocks blocks, Real* __restrict__ slab) {
  const auto k = static_cast<int>(global_thread());
  if (k > blocks.length / 2) return;
  auto* spectrum = reinterpret_cast<Complex<Real>*>(slab + static_cast<std::int64_t>(blockIdx.y) * blocks.stride());
  const Complex<Real> a = spectrum[k], b = taps[k];
  spectrum[k] = {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

// Joins the blocks' outputs. One thread works on one output, to which it adds the response to the constant that
// cut_kernel subtracted.
template <class Real>
__global__ void join_kernel(const Real* __restrict__ slab, CircularSignal signal, std::int64_t first,
                            const Complex<Real>* __restrict__ taps, Blocks blocks, std::int64_t first_output,
                            Real* __restrict__ response) {
  const auto i = static_cast<int>(global_thread());
  const std::int64_t skipped = static_cast<std::int64_t>(blockIdx.y) * blocks.step();
  const std::int64_t output = first_output + skipped + i;
  if (i >= blocks.step() || output >= signal.size) return;
  response[output] = slab[static_cast<std::int64_t>(blockIdx.y) * blocks.stride() + blocks.overlap + i] +
                     static_cast<Real>(signal.at(first + skipped)) * taps[blocks.length / 2 + 1].re;
}

dim3 grid_for(const Blocks& blocks, int items) { return {blocks_for(items), static_cast<unsigned>(blocks.count)}; }

template <class Real>
Buffer<Complex<Real>, Cuda> tap_spectrum(Cuda& cuda, std::span<const double> taps, int length) {
  Buffer<double, Cuda> device_taps(cuda, static_cast<std::int64_t>(taps.size()));
  copy_bytes(cuda, taps.data(), device_taps.data(), taps.size_bytes());
  Buffer<Complex<Real>, Cuda> spectrum(cuda, length / 2 + 2);
  launch(cuda, {blocks_for(length / 2 + 1)}, tap_spectrum_kernel<Real>, device_taps.data(),
         static_cast<int>(taps.size()), length, spectrum.data());
  return spectrum;
}

}  // namespace

template <class Real>
Buffer<Real, Cuda> convolve_circular(Cuda& cuda, std::span<const float> signal, std::span<const double> taps,
                                     int lead) {
  check_circular(signal, taps, lead);
  const Blocks blocks = blocks_for_taps(static_cast<int>(taps.size()));
  const auto spectrum = tap_spectrum<Real>(cuda, taps, blocks.length);
  const auto n = std::ssize(signal);
  const CircularSignal circular{signal.data(), n, n + lead};
  Buffer<Real, Cuda> response(cuda, n), slab(cuda, std::int64_t{blocks.count} * blocks.stride());
  for (std::int64_t output = 0; output < n; output += std::int64_t{blocks.count} * blocks.step()) {
    const std::int64_t first = output + lead - blocks.overlap;
    launch(cuda, {grid_for(blocks, blocks.length)}, cut_kernel<Real>, circular, first, blocks, slab.data());
    transform_blocks(cuda, slab.span(), blocks.length, blocks.count, false);
    launch(cuda, {grid_for(blocks, blocks.length / 2 + 1)}, multiply_kernel<Real>, spectrum.data(), blocks,
           slab.data());
    transform_blocks(cuda, slab.span(), blocks.length, blocks.count, true);
    launch(cuda, {grid_for(blocks, blocks.step())}, join_kernel<Real>, slab.data(), circular, first, spectrum.data(),
           blocks, output, response.data());
  }
  return response;
}

template Buffer<float, Cuda> convolve_circular(Cuda&, std::span<const float>, std::span<const double>, int);
template Buffer<double, Cuda> convolve_circular(Cuda&, std::span<const float>, std::span<const double>, int);

}  // namespace beatscan
