#include "kernels/runtime/launch.cuh"
#include "kernels/signal/convolve_circular.h"
#include "kernels/signal/fft.h"

namespace beatscan {
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
