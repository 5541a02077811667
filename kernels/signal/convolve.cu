#include "kernels/runtime/launch.cuh"
#include "kernels/signal/convolve.h"
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

// A signal and what lies beyond its ends.
struct ExtendedSignal {
  const float* samples;
  std::int64_t first;  // sample of the signal that is the first in memory
  std::int64_t size;   // samples of the whole signal
  std::int64_t end;    // from here on no sample is needed, and none must be read
  Beyond beyond;

  __device__ float at(std::int64_t i) const {
    if (i < 0 || i >= size) {
      if (beyond == Beyond::zeros) return 0;
      if (beyond == Beyond::last_value)
        i = i < 0 ? 0 : size - 1;
      else
        i = i < 0 ? i + size : i - size;
    }
    return samples[i - first];
  }
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
__global__ void cut_kernel(ExtendedSignal signal, std::int64_t first, Blocks blocks, Real* __restrict__ slab) {
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
__global__ void join_kernel(const Real* __restrict__ slab, ExtendedSignal signal, std::int64_t first,
                            const Complex<Real>* __restrict__ taps, Blocks blocks, std::int64_t first_output,
                            Stretch wanted, bool rectify, Real* __restrict__ response) {
  const auto i = static_cast<int>(global_thread());
  const std::int64_t skipped = static_cast<std::int64_t>(blockIdx.y) * blocks.step();
  const std::int64_t output = first_output + skipped + i;
  if (i >= blocks.step() || output < wanted.first || output >= wanted.last) return;
  const Real value = slab[static_cast<std::int64_t>(blockIdx.y) * blocks.stride() + blocks.overlap + i] +
                     static_cast<Real>(signal.at(first + skipped)) * taps[blocks.length / 2 + 1].re;
  response[output - wanted.first] = rectify ? abs(value) : value;
}

dim3 grid_for(const Blocks& blocks, int items) { return {blocks_for(items), static_cast<unsigned>(blocks.count)}; }

template <class Real>
Buffer<Complex<Real>, Cuda> tap_spectrum(Cuda& cuda, std::span<const double> taps, int length) {
  Buffer<double, Cuda> device_taps(cuda, static_cast<std::int64_t>(taps.size()));
  copy_bytes(cuda, taps.data(), device_taps.data(), taps.size_bytes());
  Buffer<Complex<Real>, Cuda> spectrum(cuda, length / 2 + 2);
  tap_spectrum_kernel<<<blocks_for(length / 2 + 1), kBlock, 0, cuda.stream()>>>(
      device_taps.data(), static_cast<int>(taps.size()), length, spectrum.data());
  check_launch();
  return spectrum;
}

// Returns the first output of the blocks that hold a stretch of the output. Blocks begin at whole steps wherever the
// stretch begins, so that each output comes from the same transform every time.
std::int64_t first_output(const Blocks& blocks, Stretch wanted) { return wanted.first / blocks.step() * blocks.step(); }

// Returns the end of the samples that the blocks of a stretch hold.
std::int64_t end_of(const Blocks& blocks, std::int64_t n, int lead, Stretch wanted) {
  const std::int64_t last_block = (std::max(wanted.last, wanted.first + 1) - 1) / blocks.step();
  return std::min(n + lead, (last_block + 1) * blocks.step() + lead);
}

template <class Real>
Buffer<Real, Cuda> response_in(Cuda& cuda, const SignalPart& signal, std::span<const double> taps,
                               const ConvolveOptions& options, Stretch wanted) {
  const auto width = static_cast<std::int64_t>(taps.size());
  check_convolution(signal.size, width, options);
  check_part(signal, convolve_reads(cuda, signal.size, width, options, wanted), options, wanted);
  const Blocks blocks = blocks_for_taps(static_cast<int>(width));
  const auto spectrum = tap_spectrum<Real>(cuda, taps, blocks.length);
  const ExtendedSignal extended{signal.values.data(), signal.first, signal.size,
                                end_of(blocks, signal.size, options.lead, wanted), options.beyond};
  Buffer<Real, Cuda> response(cuda, wanted.size()), slab(cuda, std::int64_t{blocks.count} * blocks.stride());
  for (std::int64_t output = first_output(blocks, wanted); output < wanted.last;
       output += std::int64_t{blocks.count} * blocks.step()) {
    const std::int64_t first = output + options.lead - blocks.overlap;
    cut_kernel<<<grid_for(blocks, blocks.length), kBlock, 0, cuda.stream()>>>(extended, first, blocks, slab.data());
    check_launch();
    transform_blocks(cuda, slab.span(), blocks.length, blocks.count, false);
    multiply_kernel<<<grid_for(blocks, blocks.length / 2 + 1), kBlock, 0, cuda.stream()>>>(spectrum.data(), blocks,
                                                                                           slab.data());
    check_launch();
    transform_blocks(cuda, slab.span(), blocks.length, blocks.count, true);
    join_kernel<<<grid_for(blocks, blocks.step()), kBlock, 0, cuda.stream()>>>(
        slab.data(), extended, first, spectrum.data(), blocks, output, wanted, options.rectify, response.data());
    check_launch();
  }
  return response;
}

}  // namespace

Stretch convolve_reads(const Cuda&, std::int64_t n, std::int64_t taps, const ConvolveOptions& options, Stretch wanted) {
  if (options.beyond == Beyond::other_end) return {0, n};
  const Blocks blocks = blocks_for_taps(static_cast<int>(taps));
  const std::int64_t first = first_output(blocks, wanted) + options.lead - blocks.overlap,
                     last = end_of(blocks, n, options.lead, wanted);
  // The value at an end of the signal may also stand for what lies beyond it, so it is always read.
  return {std::clamp<std::int64_t>(first, 0, n - 1), std::clamp<std::int64_t>(last, 1, n)};
}

template <class Real>
Buffer<Real, Cuda> convolve(Cuda& cuda, std::span<const float> signal, std::span<const double> taps,
                            const ConvolveOptions& options) {
  return response_in<Real>(cuda, whole(signal), taps, options, {0, static_cast<std::int64_t>(signal.size())});
}

Buffer<float, Cuda> convolve_part(Cuda& cuda, const SignalPart& signal, std::span<const double> taps,
                                  const ConvolveOptions& options, Stretch wanted) {
  return response_in<float>(cuda, signal, taps, options, wanted);
}

template Buffer<float, Cuda> convolve(Cuda&, std::span<const float>, std::span<const double>, const ConvolveOptions&);
template Buffer<double, Cuda> convolve(Cuda&, std::span<const float>, std::span<const double>, const ConvolveOptions&);

}  // namespace beatscan
