#include "kernels/model/vae_step.h"

#include <bit>
#include <map>
#include <utility>

#include "kernels/machine/host_threads.h"
#include "kernels/model/vae_gradients.cuh"
#include "kernels/runtime/launch.cuh"
#include "kernels/runtime/pool.h"

namespace beatscan {
namespace {

using namespace vae;

constexpr int kSlices = 32;  // slices of the parts that are summed in parallel for each of 32 parameters

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

// Puts an epoch to where the kernels of its steps read it. One thread computes one step's corrections. It does so in
// float64, since 1 - 0.999f has lost a third of its digits.
//   steps_done  of the whole training
__global__ void begin_epoch_kernel(DeviceEpoch epoch, DeviceEpoch* __restrict__ place, int steps,
                                   std::int64_t* __restrict__ steps_done, double learning_rate, double rate_decay) {
  const std::int64_t done = *steps_done;
  for (int i = static_cast<int>(threadIdx.x); i < steps; i += static_cast<int>(blockDim.x)) {
    epoch.adam_steps[i] = adam_step(static_cast<double>(done + i + 1), learning_rate, rate_decay);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    *steps_done = done + steps;
    *epoch.loss = 0;
    *place = epoch;
  }
}

// Counts the steps of a graph as done.
__global__ void end_steps_kernel(DeviceEpoch* epoch, int steps) { epoch->steps_done += steps; }

__global__ void __launch_bounds__(32 * kSlices) adam_kernel(const DeviceEpoch* place, int step, int warps) {
  let_next_start();
  const DeviceEpoch& epoch = *place;
  const int count = parts_of(batch_of(epoch, step).beats, warps);
  const AdamStep* const rate = epoch.adam_steps + __ldcg(&epoch.steps_done) + step;
  wait_for_the_one_before();
  const float gradient = sum_of_parts(epoch.parts, count);
  const int slot = static_cast<int>(blockIdx.x * 32 + threadIdx.x / 32);
  if (threadIdx.x % 32 != 0 || slot >= kSums) return;
  if (slot == kLossSlot) {
    *epoch.loss = __ldcg(epoch.loss) + gradient;
    return;
  }
  float mean = __ldcg(epoch.mean + slot), square = __ldcg(epoch.square + slot);
  epoch.parameters[slot] = __ldcg(epoch.parameters + slot) - adam_change(gradient, *rate, mean, square);
  epoch.mean[slot] = mean;
  epoch.square[slot] = square;
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
  check_batch(batch, parameters);
  return {batch.rows.data(), batch.indices.data(), batch.eps.data(), static_cast<std::int64_t>(batch.indices.size())};
}

// A CUDA graph that can be launched; made from the work that `enqueue` queues on the stream.
class Graph {
 public:
  template <class Enqueue>
  Graph(CUstream_st* stream, Enqueue&& enqueue) {
    cudaGraph_t graph = nullptr;
    BEATSCAN_CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    try {
      enqueue();
    } catch (...) {
      if (cudaStreamEndCapture(stream, &graph) == cudaSuccess) cudaGraphDestroy(graph);  // the stream is used again
      throw;
    }
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

// Waits for the earlier of the last two graphs that were queued; returns at once if fewer were.
class QueuedGraphs {
 public:
  QueuedGraphs() {
    for (cudaEvent_t& event : done_) BEATSCAN_CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  }
  ~QueuedGraphs() {
    for (cudaEvent_t event : done_) cudaEventDestroy(event);
  }
  QueuedGraphs(QueuedGraphs&&) = delete;
  void wait_for_the_last_but_one() { BEATSCAN_CUDA_CHECK(cudaEventSynchronize(done_[next_])); }
  void mark(CUstream_st* stream) {
    BEATSCAN_CUDA_CHECK(cudaEventRecord(done_[next_], stream));
    next_ = 1 - next_;
  }

 private:
  cudaEvent_t done_[2];
  int next_ = 0;
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

// Runs the steps of an epoch: in one launch, or by graphs of 1, 2, 4 ... steps, which are kept. CUDA makes and deletes
// a graph, and begins to record one, under a lock that keeps all other threads from the GPU: with a graph for each
// training, recordings that are analysed concurrently waited for each other.
//
// A run of one recording has one channel to the GPU, in which other work waits for what the training has queued. So a
// thread without a share of the processors queues kMostStepsAlone steps at a time, and two graphs at most. That wait
// keeps a processor busy. Recordings that share the processors need them for each other, so they queue whole epochs.
class EpochGraphs {
 public:
  explicit EpochGraphs(Cuda& cuda)
      : pool_(cuda.pool()), launch_(prepare_gradients(cuda)), place_(Buffer<DeviceEpoch, Cuda>(cuda, 1).hand_over()) {}
  ~EpochGraphs() { pool_.deallocate(place_, sizeof(DeviceEpoch)); }
  EpochGraphs(EpochGraphs&&) = delete;

  // The epoch whose steps run.
  DeviceEpoch* place() { return place_; }

  // Queues the steps of an epoch.
  void run(CUstream_st* stream, std::int64_t batch_beats, std::int64_t steps) {
    const int parts = parts_of(batch_beats, launch_.warps);
    if (launch_.whole_epochs && parts <= kClusterBlocks) return launch_epoch(stream, place_, static_cast<int>(steps));
    const auto blocks = static_cast<int>(std::bit_ceil(static_cast<unsigned>(parts)));
    const bool is_alone = !shares_processors();
    for (int size = is_alone ? kMostStepsAlone : kMostSteps; size >= 1; size /= 2)
      for (; steps >= size; steps -= size) {
        Graph& graph = graph_of(stream, blocks, size);
        if (is_alone) queued_.wait_for_the_last_but_one();
        graph.launch(stream);
        if (is_alone) queued_.mark(stream);
      }
  }

 private:
  static constexpr int kMostSteps = 128, kMostStepsAlone = 16;

  Graph& graph_of(CUstream_st* stream, int blocks, int steps) {
    auto& graph = graphs_[{blocks, steps}];
    if (!graph) graph = std::make_unique<Graph>(stream, [&] { enqueue(stream, blocks, steps); });
    return *graph;
  }

  // Queues steps, one after the other.
  void enqueue(CUstream_st* stream, int blocks, int steps) {
    StepLaunch launch = launch_;
    for (int i = 0; i < steps; ++i) {
      launch.early = launch_.early && i > 0;
      launch_gradients(stream, launch, blocks, place_, i);
      launch_early(stream, launch_.early, kSumBlocks, 32 * kSlices, 0, adam_kernel, place_, i, launch_.warps);
    }
    end_steps_kernel<<<1, 1, 0, stream>>>(place_, steps);
    BEATSCAN_CUDA_CHECK(cudaGetLastError());
  }

  DevicePool& pool_;
  QueuedGraphs queued_;
  StepLaunch launch_;
  DeviceEpoch* place_;
  std::map<std::pair<int, int>, std::unique_ptr<Graph>> graphs_;  // by blocks and steps
};

EpochGraphs& Cuda::epoch_graphs() {
  if (!epoch_graphs_) epoch_graphs_ = std::make_shared<EpochGraphs>(*this);
  return *epoch_graphs_;
}

void vae_gradients(Cuda& cuda, const VaeBatch& batch, std::span<const float> parameters, double kl_weight,
                   std::span<float> gradients, std::span<float> loss) {
  const DeviceBatch all = checked(batch, parameters);
  BEATSCAN_EXPECTS(gradients.size() == kParameters && loss.size() == 1, "vae_gradients: bad shape");
  StepLaunch prepared = prepare_gradients(cuda);
  prepared.early = false;  // what is before it on the stream makes the epoch, the parts, and perhaps the batch
  const int count = parts_of(all.beats, prepared.warps);
  auto parts = zeros<float>(cuda, std::int64_t{count} * kPartStride);
  const auto epoch = from_host(cuda, std::vector{DeviceEpoch{.all = all,
                                                             .batch_beats = std::max<std::int64_t>(all.beats, 1),
                                                             .kl_weight = static_cast<float>(kl_weight),
                                                             .parameters = const_cast<float*>(parameters.data()),
                                                             .parts = parts.data()}});
  launch_gradients(cuda.stream(), prepared, count, epoch.data(), 0);
  launch(cuda, {kSumBlocks, 32 * kSlices}, sum_parts_kernel, parts.data(), count, gradients.data(), loss.data());
}

template <>
struct VaeEpochs<Cuda>::Steps {
  Buffer<float, Cuda> mean, square, parts;
  Buffer<std::int64_t, Cuda> steps_done;
  Buffer<AdamStep, Cuda> adam_steps;  // one for each step of the epoch
  Buffer<double, Cuda> loss;
};

template <>
VaeEpochs<Cuda>::VaeEpochs(Cuda& cuda, const VaeBatch& epoch, const VaeStepOptions& options,
                           std::span<float> parameters)
    : context_(cuda), epoch_(epoch), options_(options), parameters_(parameters) {
  const DeviceBatch all = checked(epoch, parameters);
  BEATSCAN_EXPECTS(options.batch_beats > 0, "VaeEpochs: empty batches");
  const auto steps = (all.beats + options.batch_beats - 1) / options.batch_beats;
  steps_.reset(new Steps{zeros<float>(cuda, kParameters), zeros<float>(cuda, kParameters),
                         zeros<float>(cuda, std::int64_t{kMaxParts} * kPartStride), zeros<std::int64_t>(cuda, 1),
                         Buffer<AdamStep, Cuda>(cuda, steps), zeros<double>(cuda, 1)});
}

template <>
VaeEpochs<Cuda>::~VaeEpochs() = default;

template <>
double VaeEpochs<Cuda>::run() {
  EpochGraphs& graphs = context_.epoch_graphs();
  Steps& own = *steps_;
  const DeviceEpoch epoch{.all = checked(epoch_, parameters_),
                          .batch_beats = options_.batch_beats,
                          .kl_weight = static_cast<float>(options_.kl_weight),
                          .parameters = parameters_.data(),
                          .parts = own.parts.data(),
                          .adam_steps = own.adam_steps.data(),
                          .mean = own.mean.data(),
                          .square = own.square.data(),
                          .loss = own.loss.data()};
  const std::int64_t steps = own.adam_steps.size();
  launch(context_, {1}, begin_epoch_kernel, epoch, graphs.place(), static_cast<int>(steps), own.steps_done.data(),
         options_.learning_rate, options_.rate_decay);
  graphs.run(context_.stream(), std::min<std::int64_t>(options_.batch_beats, epoch.all.beats), steps);
  context_.wait_asleep();
  return fetch(context_, own.loss.data());
}

template <>
AdamState VaeEpochs<Cuda>::adam() {
  return {to_host(context_, steps_->mean), to_host(context_, steps_->square),
          to_host(context_, steps_->steps_done).front()};
}

template <>
void VaeEpochs<Cuda>::set_adam(const AdamState& state) {
  check_adam(state);
  copy<float>(context_, state.mean, steps_->mean.span());
  copy<float>(context_, state.square, steps_->square.span());
  copy<std::int64_t>(context_, {&state.steps, 1}, steps_->steps_done.span());
  context_.synchronize();
}

}  // namespace beatscan
