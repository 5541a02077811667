#include "kernels/fft.h"

#include <cufft.h>

#include <map>
#include <string>
#include <utility>

#include "kernels/check.h"

namespace beatscan {
namespace {

void check_fft(cufftResult result, const char* call) {
  if (result != CUFFT_SUCCESS)
    throw Error(Status::device,
                std::string("cuFFT: error ") + std::to_string(static_cast<int>(result)) + " in " + call);
}

class Plan {
 public:
  Plan(std::int64_t n, cufftType type, CUstream_st* stream) {
    check_fft(cufftCreate(&handle_), "cufftCreate");
    check_fft(cufftSetAutoAllocation(handle_, 0), "cufftSetAutoAllocation");
    check_fft(cufftSetStream(handle_, stream), "cufftSetStream");
    long long length = n;
    check_fft(cufftMakePlanMany64(handle_, 1, &length, nullptr, 1, 0, nullptr, 1, 0, type, 1, &work_bytes_),
              "cufftMakePlanMany64");
  }
  ~Plan() { cufftDestroy(handle_); }
  Plan(const Plan&) = delete;

  // The plan with room to work; the room is needed until the transform is queued.
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

// Making a plan takes longer than using it, and recordings of a batch tend to be equally long.
class FftPlans {
 public:
  const Plan& get(std::int64_t n, cufftType type, CUstream_st* stream) {
    const auto key = std::pair(n, type);
    if (plans_.size() >= kMost && !plans_.contains(key)) plans_.clear();
    return plans_.try_emplace(key, n, type, stream).first->second;
  }

 private:
  static constexpr std::size_t kMost = 8;
  std::map<std::pair<std::int64_t, cufftType>, Plan> plans_;
};

FftPlans& Cuda::fft_plans() {
  if (!fft_plans_) fft_plans_ = std::make_shared<FftPlans>();
  return *fft_plans_;
}

namespace {

void execute(Cuda& cuda, float* data, std::int64_t n, bool inverse) {
  Buffer<char, Cuda> room;
  auto* spectrum = reinterpret_cast<cufftComplex*>(data);
  const auto plan = cuda.fft_plans().get(n, inverse ? CUFFT_C2R : CUFFT_R2C, cuda.stream()).with_work_area(cuda, room);
  check_fft(inverse ? cufftExecC2R(plan, spectrum, data) : cufftExecR2C(plan, data, spectrum), "cufftExec");
}

void execute(Cuda& cuda, double* data, std::int64_t n, bool inverse) {
  Buffer<char, Cuda> room;
  auto* spectrum = reinterpret_cast<cufftDoubleComplex*>(data);
  const auto plan = cuda.fft_plans().get(n, inverse ? CUFFT_Z2D : CUFFT_D2Z, cuda.stream()).with_work_area(cuda, room);
  check_fft(inverse ? cufftExecZ2D(plan, spectrum, data) : cufftExecD2Z(plan, data, spectrum), "cufftExec");
}

}  // namespace

template <class Real>
void transform_in_place(Cuda& cuda, Buffer<Real, Cuda>& data, std::int64_t n, bool inverse) {
  BEATSCAN_EXPECTS(n % 2 == 0 && data.size() >= n + 2, "transform_in_place: odd length or no room for the spectrum");
  execute(cuda, data.data(), n, inverse);
}

template void transform_in_place(Cuda&, Buffer<float, Cuda>&, std::int64_t, bool);
template void transform_in_place(Cuda&, Buffer<double, Cuda>&, std::int64_t, bool);

}  // namespace beatscan
