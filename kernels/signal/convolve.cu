#include "kernels/signal/convolve.h"

#include "kernels/runtime/launch.cuh"

namespace beatscan {

namespace {

// A thread computes this many outputs in parallel, from samples and taps that it holds in registers. The number is
// odd, so that the threads of a half warp read different banks of shared memory.
constexpr int kOutputs = 7;
constexpr int kTile = kBlock * kOutputs;  // outputs of a block
constexpr int kTapsAtATime = 36 * kOutputs;

// A signal and what lies beyond its ends.
struct ExtendedSignal {
  const float* samples;
  Stretch held;
  std::int64_t size;  // samples of the whole signal
  Beyond beyond;

  // Returns another sample for one that is not in memory: only taps of 0, and outputs that are not wanted, use it.
  __device__ double at(std::int64_t i) const {
    if (beyond == Beyond::zeros && (i < 0 || i >= size)) return 0;
    return samples[max(held.first, min(i, held.last - 1)) - held.first];
  }
};

// Adds the products of kOutputs taps to the sums of a thread. `x` is the sample that its first output's first tap
// meets.
__device__ void add_products(const double* x, const double* taps, double (&sums)[kOutputs]) {
  double window[2 * kOutputs - 1];
#pragma unroll
  for (int k = 0; k < 2 * kOutputs - 1; ++k) window[k] = x[k - (kOutputs - 1)];
#pragma unroll
  for (int j = 0; j < kOutputs; ++j) {
    const double tap = taps[j];
#pragma unroll
    for (int o = 0; o < kOutputs; ++o) sums[o] = __dadd_rn(sums[o], __dmul_rn(tap, window[o - j + kOutputs - 1]));
  }
}

// A block computes kTile outputs, a thread kOutputs neighbours. Taps are taken in parts; the last part is filled up
// with zeros, which change no sum.
__global__ void convolve_kernel(ExtendedSignal signal, const double* __restrict__ taps, int width,
                                ConvolveOptions options, Stretch wanted, float* __restrict__ response) {
  __shared__ double samples[kTile + kTapsAtATime - 1], some_taps[kTapsAtATime];
  const std::int64_t first = wanted.first + std::int64_t{blockIdx.x} * kTile;
  double sums[kOutputs] = {};
  for (int begin = 0; begin < width; begin += kTapsAtATime) {
    const int part = min(kTapsAtATime, (width - begin + kOutputs - 1) / kOutputs * kOutputs);
    const std::int64_t source = first + options.lead - begin - (part - 1);
    __syncthreads();  // all threads are done with the last part
    for (int k = threadIdx.x; k < kTile + part - 1; k += kBlock) samples[k] = signal.at(source + k);
    for (int j = threadIdx.x; j < part; j += kBlock) some_taps[j] = begin + j < width ? taps[begin + j] : 0;
    __syncthreads();
    const double* const x = samples + threadIdx.x * kOutputs + part - 1;
    for (int j = 0; j < part; j += kOutputs) add_products(x - j, some_taps + j, sums);
  }
  __syncthreads();
#pragma unroll
  for (int o = 0; o < kOutputs; ++o) samples[threadIdx.x * kOutputs + o] = options.rectify ? fabs(sums[o]) : sums[o];
  __syncthreads();
  for (int o = threadIdx.x; o < kTile && first + o < wanted.last; o += kBlock)
    response[first - wanted.first + o] = static_cast<float>(samples[o]);
}

}  // namespace

Buffer<float, Cuda> convolve(Cuda& cuda, const SignalPart& signal, std::span<const double> taps,
                             const ConvolveOptions& options, Stretch wanted) {
  check_convolution(signal, std::ssize(taps), options, wanted);
  Buffer<float, Cuda> response(cuda, wanted.size());
  if (wanted.size() == 0) return response;
  Buffer<double, Cuda> device_taps(cuda, std::ssize(taps));
  copy_bytes(cuda, taps.data(), device_taps.data(), taps.size_bytes());
  launch(cuda, {blocks_for(wanted.size(), kTile)}, convolve_kernel,
         ExtendedSignal{signal.values.data(), stretch_of(signal), signal.size, options.beyond}, device_taps.data(),
         static_cast<int>(taps.size()), options, wanted, response.data());
  return response;
}

}  // namespace beatscan
