#include "kernels/signal/fft.h"

#include <cuda_runtime.h>
#include <cufft.h>

#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>

#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

void check_fft(cufftResult result, const char* call) {
  if (result != CUFFT_SUCCESS)
    throw Error(ErrorKind::device,
                std::string("cuFFT: error ") + std::to_string(static_cast<int>(result)) + " in " + call);
}

// Lets one thread at a time call cuFFT. Where twelve threads made their first plans side by side (CUDA 13.0), kernels
// of cuFFT met an illegal memory access, which ends all work on the GPU: they probably read a table that was not there
// yet.
std::unique_lock<std::mutex> cufft_lock() {
  static auto* mutex = new std::mutex;  // never deleted: a context may end after this file's objects
  return std::unique_lock(*mutex);
}

class Plan {
 public:
  // Waits for the default stream, on which cuFFT may fill its tables: the plan's own stream does not wait for it.
  Plan(int n, int count, cufftType type, CUstream_st* stream) {
    const auto lock = cufft_lock();
    check_fft(cufftCreate(&handle_), "cufftCreate");
    check_fft(cufftSetAutoAllocation(handle_, 0), "cufftSetAutoAllocation");
    check_fft(cufftSetStream(handle_, stream), "cufftSetStream");
    const bool inverse = type == CUFFT_C2R || type == CUFFT_Z2D;
    int reals = n + 2, complexes = n / 2 + 1;  // numbers from one block to the next
    int& from = inverse ? complexes : reals;
    int& to = inverse ? reals : complexes;
    check_fft(cufftMakePlanMany(handle_, 1, &n, &from, 1, from, &to, 1, to, type, count, &work_bytes_),
              "cufftMakePlanMany");
    BEATSCAN_CUDA_CHECK(cudaStreamSynchronize(cudaStreamLegacy));
  }
  ~Plan() {
    const auto lock = cufft_lock();
    cufftDestroy(handle_);
  }
  Plan(const Plan&) = delete;

  // Returns the plan with memory to work in. `room` must live until the transform is queued.
  cufftHandle with_work_area(Cuda& cuda, Buffer<char, Cuda>& room) const {
    room = Buffer<char, Cuda>(cuda, static_cast<std::int64_t>(work_bytes_));
    check_fft(cufftSetWorkArea(handle_, room.data()), "cufftSetWorkArea");
    return handle_;
  }

 private:
  cufftHandle handle_ = 0;
  std::size_t work_bytes_ = 0;
};

}  // namespace

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
  check_fft(inverse ? cufftExecC2R(plan, spectrum, data) : cufftExecR2C(plan, data, spectrum), "cufftExec");
}

void execute(cufftHandle plan, double* data, bool inverse) {
  auto* spectrum = reinterpret_cast<cufftDoubleComplex*>(data);
  check_fft(inverse ? cufftExecZ2D(plan, spectrum, data) : cufftExecD2Z(plan, data, spectrum), "cufftExec");
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
