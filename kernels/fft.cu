#include "kernels/fft.h"

#include <cufft.h>

#include <string>

#include "kernels/check.h"

namespace beatscan {
namespace {

void check_fft(cufftResult result, const char* call) {
  if (result != CUFFT_SUCCESS)
    throw Error(Status::device, std::string("cuFFT: error ") + std::to_string(static_cast<int>(result)) + " in " + call);
}

class Plan {
 public:
  Plan(std::int64_t n, cufftType type, Cuda& cuda) {
    check_fft(cufftCreate(&plan_), "cufftCreate");
    check_fft(cufftSetAutoAllocation(plan_, 0), "cufftSetAutoAllocation");
    check_fft(cufftSetStream(plan_, cuda.stream()), "cufftSetStream");
    long long length = n;
    std::size_t bytes = 0;
    check_fft(cufftMakePlanMany64(plan_, 1, &length, nullptr, 1, 0, nullptr, 1, 0, type, 1, &bytes),
              "cufftMakePlanMany64");
    work_area_ = Buffer<char, Cuda>(cuda, static_cast<std::int64_t>(bytes));
    check_fft(cufftSetWorkArea(plan_, work_area_.data()), "cufftSetWorkArea");
  }
  ~Plan() { cufftDestroy(plan_); }
  Plan(const Plan&) = delete;
  cufftHandle handle() const { return plan_; }

 private:
  cufftHandle plan_ = 0;
  Buffer<char, Cuda> work_area_;
};

void execute(Cuda& cuda, float* data, std::int64_t n, bool inverse) {
  auto* spectrum = reinterpret_cast<cufftComplex*>(data);
  const Plan plan(n, inverse ? CUFFT_C2R : CUFFT_R2C, cuda);
  check_fft(inverse ? cufftExecC2R(plan.handle(), spectrum, data) : cufftExecR2C(plan.handle(), data, spectrum),
            "cufftExec");
}

void execute(Cuda& cuda, double* data, std::int64_t n, bool inverse) {
  auto* spectrum = reinterpret_cast<cufftDoubleComplex*>(data);
  const Plan plan(n, inverse ? CUFFT_Z2D : CUFFT_D2Z, cuda);
  check_fft(inverse ? cufftExecZ2D(plan.handle(), spectrum, data) : cufftExecD2Z(plan.handle(), data, spectrum),
            "cufftExec");
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
