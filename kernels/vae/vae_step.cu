#include "kernels/vae/vae_step.h"

#include "kernels/runtime/launch.cuh"
#include "kernels/vae/vae_gradients.cuh"

namespace beatscan {
namespace {

using namespace vae;

constexpr int kSlices = 32;  // slices of the parts that are summed side by side for each of 32 parameters

// Returns in lane 0 of warp w the sum of slot blockIdx.x * 32 + w over the parts. The order is fixed: thread (slot,
// slice) sums every 32nd part, then warp w sums the slices of slot w.
__device__ float sum_of_parts(const float* __restrict__ parts, int count) {
  __shared__ float slices[kSlices][33];
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  const float* first = parts + blockIdx.x * 32 + lane;
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kMaxParts / kSlices; ++i)
    if (i * kSlices + warp < count) sum += __ldcg(first + (i * kSlices + warp) * kPartStride);
  slices[warp][lane] = sum;
  __syncthreads();
  sum = slices[lane][warp];
#pragma unroll
  for (int half = 16; half > 0; half /= 2) sum += __shfl_xor_sync(~0u, sum, half);
  return sum;
}

// Bias corrections of one Adam step.
struct AdamStep {
  float step_size;     // learning rate / (1 - beta1^t)
  float square_scale;  // 1 / sqrt(1 - beta2^t)
};

// One thread computes one step's corrections in the epoch that begins. It does so in float64, since 1 - 0.999f has lost
// a third of its digits.
__global__ void begin_epoch_kernel(std::int64_t* __restrict__ steps_done, int steps, double learning_rate,
                                   double rate_decay, AdamStep* __restrict__ adam_steps, double* __restrict__ loss) {
  const std::int64_t done = *steps_done;
  for (int i = static_cast<int>(threadIdx.x); i < steps; i += static_cast<int>(blockDim.x)) {
    const double t = static_cast<double>(done + i + 1);
    adam_steps[i] = {static_cast<float>(learning_rate * pow(rate_decay, t - 1) / (1 - pow(kAdamBeta1, t))),
                     static_cast<float>(1 / sqrt(1 - pow(kAdamBeta2, t)))};
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    *steps_done = done + steps;
    *loss = 0;
  }
}

__global__ void __launch_bounds__(32 * kSlices)
    adam_kernel(const float* __restrict__ parts, int count, const AdamStep* __restrict__ step,
                float* __restrict__ parameters, float* __restrict__ mean, float* __restrict__ square,
                double* __restrict__ loss) {
  let_next_start();
  wait_for_the_one_before();
  const float gradient = sum_of_parts(parts, count);
  const int slot = static_cast<int>(blockIdx.x * 32 + threadIdx.x / 32);
  if (threadIdx.x % 32 != 0 || slot >= kSums) return;
  if (slot == kLossSlot) {
    *loss = __ldcg(loss) + gradient;
    return;
  }
  constexpr auto kOld1 = static_cast<float>(kAdamBeta1), kNew1 = static_cast<float>(1 - kAdamBeta1);
  constexpr auto kOld2 = static_cast<float>(kAdamBeta2), kNew2 = static_cast<float>(1 - kAdamBeta2);
  const float m = kOld1 * __ldcg(mean + slot) + kNew1 * gradient;
  const float v = kOld2 * __ldcg(square + slot) + kNew2 * gradient * gradient;
  mean[slot] = m;
  square[slot] = v;
  parameters[slot] = __ldcg(parameters + slot) -
                     step->step_size * m / (sqrtf(v) * step->square_scale + static_cast<float>(kAdamEpsilon));
}

__global__ void __launch_bounds__(32 * kSlices)
    sum_parts_kernel(const float* __restrict__ parts, int count, float* __restrict__ gradients,
                     float* __restrict__ loss) {
  const float sum = sum_of_parts(parts, count);
  const int slot = static_cast<int>(blockIdx.x * 32 + threadIdx.x / 32);
  if (threadIdx.x % 32 != 0 || slot >= kSums) return;
  (slot == kLossSlot ? loss[0] : gradients[slot]) = sum;
}

constexpr int kSumBlocks = kPartStride / 32;

DeviceBatch checked(const VaeBatch& batch, std::span<const float> parameters) {
  BEATSCAN_EXPECTS(parameters.size() == kParameters, "vae_step: not the parameters of this topology");
  BEATSCAN_EXPECTS(batch.rows.size() % kPoints == 0 && batch.eps.size() == batch.indices.size() * kLatents,
                   "vae_step: bad shape");
  return {batch.rows.data(), batch.indices.data(), batch.eps.data(), static_cast<std::int64_t>(batch.indices.size())};
}

// A CUDA graph that can be launched; made from the work that `enqueue` queues on the stream.
class Graph {
 public:
  template <class Enqueue>
  Graph(CUstream_st* stream, Enqueue&& enqueue) {
    BEATSCAN_CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    enqueue();
    cudaGraph_t graph = nullptr;
    BEATSCAN_CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
    const cudaError_t status = cudaGraphInstantiate(&executable_, graph, 0);
    cudaGraphDestroy(graph);
    BEATSCAN_CUDA_CHECK(status);
  }
  ~Graph() { cudaGraphExecDestroy(executable_); }
  Graph(Graph&&) = delete;
  void launch(CUstream_st* stream) { BEATSCAN_CUDA_CHECK(cudaGraphLaunch(executable_, stream)); }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

// Returns memory that is all 0. The parts must begin as 0, too: the floats between their last slot and the stride are
// summed with the rest, although nothing uses those sums.
template <class T>
Buffer<T, Cuda> zeros(Cuda& cuda, std::int64_t size) {
  Buffer<T, Cuda> buffer(cuda, size);
  zero_bytes(cuda, buffer.data(), buffer.span().size_bytes());
  return buffer;
}

}  // namespace

void vae_gradients(Cuda& cuda, const VaeBatch& batch, std::span<const float> parameters, double kl_weight,
                   std::span<float> gradients, std::span<float> loss) {
  const DeviceBatch device_batch = checked(batch, parameters);
  BEATSCAN_EXPECTS(gradients.size() == kParameters && loss.size() == 1, "vae_gradients: bad shape");
  const StepLaunch launch = prepare_gradients(cuda);
  const int count = parts_of(device_batch.beats, launch);
  // Setting the parts to 0 also lies between a kernel that may have made the batch and the gradients, which start
  // early.
  auto parts = zeros<float>(cuda, std::int64_t{count} * kPartStride);
  launch_gradients(cuda.stream(), launch, device_batch, parameters.data(), static_cast<float>(kl_weight), parts.data());
  sum_parts_kernel<<<kSumBlocks, 32 * kSlices, 0, cuda.stream()>>>(parts.data(), count, gradients.data(), loss.data());
  check_launch();
}

template <>
struct VaeEpochs<Cuda>::Steps {
  Buffer<float, Cuda> mean, square, parts;
  Buffer<std::int64_t, Cuda> steps_done;
  Buffer<AdamStep, Cuda> adam_steps;  // one for each step of the epoch
  Buffer<double, Cuda> loss;
  std::unique_ptr<Graph> graph = {};  // the first run makes it: not every stream can record one

  // Queues an epoch's steps, one after the other.
  void enqueue(CUstream_st* stream, const StepLaunch& launch, const DeviceBatch& all, const VaeStepOptions& options,
               float* parameters) {
    const auto steps = static_cast<int>(adam_steps.size());
    begin_epoch_kernel<<<1, kBlock, 0, stream>>>(steps_done.data(), steps, options.learning_rate, options.rate_decay,
                                                 adam_steps.data(), loss.data());
    check_launch();
    for (int i = 0; i < steps; ++i) {
      const std::int64_t first = std::int64_t{i} * options.batch_beats;
      const DeviceBatch batch{all.rows, all.indices + first, all.eps + first * kLatents,
                              std::min<std::int64_t>(options.batch_beats, all.beats - first)};
      launch_gradients(stream, launch, batch, parameters, static_cast<float>(options.kl_weight), parts.data());
      launch_early(stream, launch.early, kSumBlocks, 32 * kSlices, 0, adam_kernel, parts.data(),
                   parts_of(batch.beats, launch), adam_steps.data() + i, parameters, mean.data(), square.data(),
                   loss.data());
    }
  }
};

template <>
VaeEpochs<Cuda>::VaeEpochs(Cuda& cuda, const VaeBatch& epoch, const VaeStepOptions& options,
                           std::span<float> parameters)
    : context_(cuda), epoch_(epoch), options_(options), parameters_(parameters) {
  const DeviceBatch all = checked(epoch, parameters);
  BEATSCAN_EXPECTS(options.batch_beats > 0, "VaeEpochs: empty batches");
  const auto steps = static_cast<int>((all.beats + options.batch_beats - 1) / options.batch_beats);
  steps_.reset(new Steps{zeros<float>(cuda, kParameters), zeros<float>(cuda, kParameters),
                         zeros<float>(cuda, std::int64_t{kMaxParts} * kPartStride), zeros<std::int64_t>(cuda, 1),
                         Buffer<AdamStep, Cuda>(cuda, steps), zeros<double>(cuda, 1)});
}

template <>
VaeEpochs<Cuda>::~VaeEpochs() = default;

template <>
double VaeEpochs<Cuda>::run() {
  if (!steps_->graph) {
    const StepLaunch launch = prepare_gradients(context_);
    const DeviceBatch all = checked(epoch_, parameters_);
    steps_->graph = std::make_unique<Graph>(
        context_.stream(), [&] { steps_->enqueue(context_.stream(), launch, all, options_, parameters_.data()); });
  }
  steps_->graph->launch(context_.stream());
  return fetch(context_, steps_->loss.data());
}

template <>
AdamState VaeEpochs<Cuda>::adam() {
  return {to_host(context_, steps_->mean), to_host(context_, steps_->square),
          to_host(context_, steps_->steps_done).front()};
}

// Copies the state in place, because the recorded steps read it where it is.
template <>
void VaeEpochs<Cuda>::set_adam(const AdamState& state) {
  check_adam(state);
  copy<float>(context_, state.mean, steps_->mean.span());
  copy<float>(context_, state.square, steps_->square.span());
  copy<std::int64_t>(context_, {&state.steps, 1}, steps_->steps_done.span());
  context_.synchronize();
}

}  // namespace beatscan
