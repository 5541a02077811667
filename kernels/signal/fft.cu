#include "kernels/signal/fft.h"

#include <cuda_runtime.h>
#include <cufft.h>
#include <dlfcn.h>

#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>

#include "kernels/runtime/error.h"

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

}  // namespace beatscan
