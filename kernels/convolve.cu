#include "kernels/convolve.h"
#include "kernels/fft.h"
#include "kernels/launch.cuh"

namespace beatscan {
namespace {

// padded[i] = signal[(i + shift) mod N] - signal[0] for the extended signal, 0 behind it. One thread a sample. A
// constant (the offset of raw converter counts) would take float32's digits away from what varies; its own response, a
// constant again, is added to the spectrum at frequency 0.
template <class Real>
__global__ void extend_kernel(const float* __restrict__ signal, std::int64_t n, std::int64_t shift,
                              std::int64_t extended, std::int64_t padded_size, Real* __restrict__ padded) {
  const std::int64_t i = global_thread();
  if (i >= padded_size) return;
  std::int64_t source = i + shift;
  if (source < 0) source += n;
  if (source >= n) source -= n;
  padded[i] = i < extended ? static_cast<Real>(signal[source]) - static_cast<Real>(signal[0]) : Real{0};
}

// Multiplies the spectrum by that of the taps, sum over j of taps[j] e^(-2 pi i j k / length), scaled by 1 / length.
// One thread a frequency evaluates the polynomial by Horner's rule in float64: cheaper than transforming a second
// signal, which would also double the memory.
template <class Real>
__global__ void multiply_spectrum_kernel(Real* __restrict__ spectrum, std::int64_t length,
                                         const double* __restrict__ taps, int width, const float* __restrict__ signal) {
  const std::int64_t k = global_thread();
  if (k > length / 2) return;
  double sine, cosine;
  sincospi(-2.0 * static_cast<double>(k) / static_cast<double>(length), &sine, &cosine);
  double re = 0, im = 0;
  for (int j = width - 1; j >= 0; --j) {
    const double next = re * cosine - im * sine + taps[j];
    im = re * sine + im * cosine;
    re = next;
  }
  const double scale = 1.0 / static_cast<double>(length);
  const double a = spectrum[2 * k], b = spectrum[2 * k + 1];
  const double constant = k == 0 ? signal[0] * re : 0;  // at frequency 0, re is the sum of the taps
  spectrum[2 * k] = static_cast<Real>((a * re - b * im) * scale + constant);
  spectrum[2 * k + 1] = static_cast<Real>((a * im + b * re) * scale);
}

}  // namespace

template <class Real>
Response<Real, Cuda> convolve_circular(Cuda& cuda, std::span<const float> signal, std::span<const double> taps,
                                       int lead) {
  const auto n = static_cast<std::int64_t>(signal.size());
  const auto width = static_cast<std::int64_t>(taps.size());
  BEATSCAN_EXPECTS(width >= 1 && width <= kMaxTaps && n >= width, "convolve_circular: bad number of taps");
  BEATSCAN_EXPECTS(0 <= lead && lead < width, "convolve_circular: bad lead");
  const std::int64_t extended = n + width - 1, length = next_fast_length(extended);
  Buffer<Real, Cuda> padded(cuda, length + 2);
  extend_kernel<<<blocks_for(length), kBlock, 0, cuda.stream()>>>(signal.data(), n, lead - (width - 1), extended,
                                                                  length, padded.data());
  check_launch();
  transform_in_place(cuda, padded, length, false);
  {
    Buffer<double, Cuda> device_taps(cuda, width);
    copy_bytes(cuda, taps.data(), device_taps.data(), taps.size_bytes());
    multiply_spectrum_kernel<<<blocks_for(length / 2 + 1), kBlock, 0, cuda.stream()>>>(
        padded.data(), length, device_taps.data(), static_cast<int>(width), signal.data());
    check_launch();
  }
  transform_in_place(cuda, padded, length, true);
  return {std::move(padded), width - 1, n};
}

template Response<float, Cuda> convolve_circular(Cuda&, std::span<const float>, std::span<const double>, int);
template Response<double, Cuda> convolve_circular(Cuda&, std::span<const float>, std::span<const double>, int);

}  // namespace beatscan
