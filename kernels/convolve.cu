#include "kernels/convolve.h"
#include "kernels/fft.h"
#include "kernels/launch.cuh"

namespace beatscan {
namespace {

constexpr int kSlabSamples =
    1 << 22;  // that are worked on at a time: fills the GPU, and stays in its second-level cache

// How a signal is cut. Block b of the slab that begins with output `first` holds length samples, from that of output
// first + b * step on, less taps - 1; it gives `step` outputs, behind its first taps - 1.
struct Blocks {
  int length, overlap, count;
  __host__ __device__ int step() const { return length - overlap; }
  __host__ __device__ int stride() const { return length + 2; }  // room for the spectrum
};

// An eighth of a block is repeated at most.
Blocks blocks_for_taps(int taps) {
  int length = 2048;
  while (length < 8 * taps) length *= 2;
  return {length, taps - 1, kSlabSamples / length};
}

template <class Real>
struct Complex {
  Real re, im;
};

// The spectrum of the taps at the block's length, sum over j of taps[j] e^(-2 pi i j k / length), scaled by 1 / length;
// behind it what a signal that is signal[0] throughout would answer. One thread a frequency, by Horner's rule in
// float64.
template <class Real>
__global__ void tap_spectrum_kernel(const double* __restrict__ taps, int width, int length,
                                    const float* __restrict__ signal, Complex<Real>* __restrict__ spectrum) {
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
  if (k == 0) spectrum[length / 2 + 1] = {static_cast<Real>(signal[0] * re), 0};
}

// One thread a sample of a block, blockIdx.y the block. Less signal[0]: a constant (the offset of raw converter counts)
// would take float32's digits away from what varies. `first`: the slab's first sample in the signal, which goes round.
template <class Real>
__global__ void cut_kernel(const float* __restrict__ signal, std::int64_t n, std::int64_t first, std::int64_t end,
                           Blocks blocks, Real* __restrict__ slab) {
  const auto i = static_cast<int>(global_thread());
  if (i >= blocks.length) return;
  std::int64_t source = first + static_cast<std::int64_t>(blockIdx.y) * blocks.step() + i;
  const bool needed = source < end;
  if (source < 0) source += n;
  if (source >= n) source -= n;
  slab[static_cast<std::int64_t>(blockIdx.y) * blocks.stride() + i] =
      needed ? static_cast<Real>(signal[source]) - static_cast<Real>(signal[0]) : Real{0};
}

// One thread a frequency.
template <class Real>
__global__ void multiply_kernel(const Complex<Real>* __restrict__ taps, Blocks blocks, Real* __restrict__ slab) {
  const auto k = static_cast<int>(global_thread());
  if (k > blocks.length / 2) return;
  auto* spectrum = reinterpret_cast<Complex<Real>*>(slab + static_cast<std::int64_t>(blockIdx.y) * blocks.stride());
  const Complex<Real> a = spectrum[k], b = taps[k];
  spectrum[k] = {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

// One thread an output, to which the response to signal[0] is added.
template <class Real>
__global__ void join_kernel(const Real* __restrict__ slab, const Complex<Real>* __restrict__ taps, Blocks blocks,
                            std::int64_t first, std::int64_t n, Real* __restrict__ response) {
  const auto i = static_cast<int>(global_thread());
  const std::int64_t output = first + static_cast<std::int64_t>(blockIdx.y) * blocks.step() + i;
  if (i < blocks.step() && output < n)
    response[output] = slab[static_cast<std::int64_t>(blockIdx.y) * blocks.stride() + blocks.overlap + i] +
                       taps[blocks.length / 2 + 1].re;
}

dim3 grid_for(const Blocks& blocks, int items) { return {blocks_for(items), static_cast<unsigned>(blocks.count)}; }

}  // namespace

template <class Real>
Buffer<Real, Cuda> convolve_circular(Cuda& cuda, std::span<const float> signal, std::span<const double> taps,
                                     int lead) {
  const auto n = static_cast<std::int64_t>(signal.size());
  const auto width = static_cast<int>(taps.size());
  BEATSCAN_EXPECTS(width >= 1 && width <= kMaxTaps && n >= width, "convolve_circular: bad number of taps");
  BEATSCAN_EXPECTS(0 <= lead && lead < width, "convolve_circular: bad lead");
  const Blocks blocks = blocks_for_taps(width);
  Buffer<double, Cuda> device_taps(cuda, width);
  copy_bytes(cuda, taps.data(), device_taps.data(), taps.size_bytes());
  Buffer<Complex<Real>, Cuda> spectrum(cuda, blocks.length / 2 + 2);
  tap_spectrum_kernel<<<blocks_for(blocks.length / 2 + 1), kBlock, 0, cuda.stream()>>>(
      device_taps.data(), width, blocks.length, signal.data(), spectrum.data());
  check_launch();

  Buffer<Real, Cuda> response(cuda, n), slab(cuda, std::int64_t{blocks.count} * blocks.stride());
  for (std::int64_t first = 0; first < n; first += std::int64_t{blocks.count} * blocks.step()) {
    cut_kernel<<<grid_for(blocks, blocks.length), kBlock, 0, cuda.stream()>>>(
        signal.data(), n, first + lead - blocks.overlap, n + lead, blocks, slab.data());
    check_launch();
    transform_blocks(cuda, slab.span(), blocks.length, blocks.count, false);
    multiply_kernel<<<grid_for(blocks, blocks.length / 2 + 1), kBlock, 0, cuda.stream()>>>(spectrum.data(), blocks,
                                                                                           slab.data());
    check_launch();
    transform_blocks(cuda, slab.span(), blocks.length, blocks.count, true);
    join_kernel<<<grid_for(blocks, blocks.step()), kBlock, 0, cuda.stream()>>>(slab.data(), spectrum.data(), blocks,
                                                                               first, n, response.data());
    check_launch();
  }
  return response;
}

template Buffer<float, Cuda> convolve_circular(Cuda&, std::span<const float>, std::span<const double>, int);
template Buffer<double, Cuda> convolve_circular(Cuda&, std::span<const float>, std::span<const double>, int);

}  // namespace beatscan
