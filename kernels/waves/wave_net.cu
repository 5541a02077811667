#include <algorithm>

#include "kernels/runtime/launch.cuh"
#include "kernels/waves/net_functions.h"
#include "kernels/waves/net_quads.cuh"

namespace beatscan::waves {
namespace {

// A block stays on its multiprocessor and has groups of threads, which share the factors in shared memory. A group
// works on up to four windows at a time, whose activations lie in shared memory, layer after layer. A thread computes
// four neighbouring values of a block of 4 to 6 channels with the sums in registers: in the long layers in two windows,
// so that a factor which it has read serves eight products, and in the short ones in one, so that more threads have
// work.
//
// The limits for a window, on a multiprocessor: 267,360 products are 8,355 instructions of a warp, and with all others
// 11,000, of which four are issued in a cycle; reading shared memory takes 2,700 cycles.
constexpr int kGroupThreads = 96, kMostGroups = 4, kGroupWindows = 4;
constexpr int kLongLayer = 80;  // values
constexpr int kThreads = kGroupThreads * kMostGroups;

struct NetInput {
  const float* windows;
  const float* heights;
  const Marks* marks;
  std::int64_t count;
};

// Returns the block's shared memory. Functions get places in it as numbers of floats: the compiler would not know that
// a pointer is one to shared memory.
__device__ __forceinline__ float* shared_memory() {
  extern __shared__ __align__(16) float memory[];
  return memory;
}

// One group at work.
struct Group {
  int id, thread, windows;  // windows that it has now
  int activations, stride;  // of its first window, and from one window to the next

  __device__ void wait() const { asm volatile("bar.sync %0, %1;" ::"r"(id + 1), "n"(kGroupThreads) : "memory"); }
  __device__ __forceinline__ float* of(int window, int place) const {
    return shared_memory() + activations + window * stride + place;
  }
};

// Where a layer's inputs and outputs lie, from the beginning of a window's activations.
struct LayerPlaces {
  int doubled, input, output;
};

// Returns a layer's factors, which lie in shared memory or at `net` in global memory.
template <bool in_shared_memory>
__device__ __forceinline__ const float* factors_of(const NetLayer& layer, const float* net) {
  return (in_shared_memory ? shared_memory() : net) + layer.factors;
}

// What one thread computes: some windows, from `window` on, of values from t on of a block of channels.
struct Task {
  int block, window, t;
};
// Takes a number apart. Its parts are small, so that advancing in steps takes less time than divisions do.
__device__ __forceinline__ Task task_of(int number, int quads, int windows, int step) {
  Task task{};
  for (const int of_block = quads * (windows / step); number >= of_block; number -= of_block) ++task.block;
  for (; number >= quads; number -= quads) task.window += step;
  task.t = 4 * number;
  return task;
}

// Computes a layer of the group's windows, of which there may be one more than are in use. A warp's tasks mostly share
// a block of channels, and so the factors. It is not inlined, because layers of the same shape share it.
template <Filter filter, int Block, int Windows, bool in_shared_memory>
__device__ __noinline__ void run_layer(Group group, NetLayer layer, LayerPlaces places, const float* net) {
  const int quads = layer.length / 4, windows = (group.windows + Windows - 1) / Windows * Windows;
  for (int number = group.thread; number < quads * (windows / Windows) * layer.blocks; number += kGroupThreads) {
    const Task task = task_of(number, quads, windows, Windows);
    const float* g = factors_of<in_shared_memory>(layer, net) + task.block * layer.block_factors;
    float sums[Windows][Block][4] = {};
    sum_quads<filter, Block>(layer, g, group.of(task.window, places.doubled), group.of(task.window, places.input),
                             group.stride, task.t, sums);
    float* row = group.of(task.window, places.output) + task.block * Block * with_pads(layer.length);
#pragma unroll
    for (int w = 0; w < Windows; ++w)
#pragma unroll
      for (int i = 0; i < Block; ++i)
        write_quad(row + w * group.stride + i * with_pads(layer.length), task.t, layer.length,
                   relu(with_bias(sums[w][i], g[i])));
  }
  group.wait();
}

template <Filter filter, int Block, bool in_shared_memory>
__device__ void run_block(const Group& group, const NetLayer& layer, const LayerPlaces& places, const float* net) {
  if constexpr (filter == Filter::nine_half) {
    run_layer<filter, Block, 2, in_shared_memory>(group, layer, places, net);
  } else if constexpr (filter == Filter::five_wide) {
    run_layer<filter, Block, 1, in_shared_memory>(group, layer, places, net);
  } else {
    if (layer.length >= kLongLayer)
      run_layer<filter, Block, 2, in_shared_memory>(group, layer, places, net);
    else
      run_layer<filter, Block, 1, in_shared_memory>(group, layer, places, net);
  }
}

template <Filter filter, bool in_shared_memory>
__device__ void run_filter(const Group& group, const NetLayer& layer, const LayerPlaces& places, const float* net) {
  if (layer.block == 4)
    run_block<filter, 4, in_shared_memory>(group, layer, places, net);
  else if (layer.block == 5)
    run_block<filter, 5, in_shared_memory>(group, layer, places, net);
  else
    run_block<filter, 6, in_shared_memory>(group, layer, places, net);
}

template <bool in_shared_memory>
__device__ void run_any(const Group& group, const NetLayer& layer, const LayerPlaces& places, const float* net) {
  switch (layer.filter) {
    case Filter::nine_half:
      return run_filter<Filter::nine_half, in_shared_memory>(group, layer, places, net);
    case Filter::five:
      return run_filter<Filter::five, in_shared_memory>(group, layer, places, net);
    case Filter::five_half:
      return run_filter<Filter::five_half, in_shared_memory>(group, layer, places, net);
    case Filter::five_wide:
      return run_filter<Filter::five_wide, in_shared_memory>(group, layer, places, net);
    case Filter::three:
      return run_filter<Filter::three, in_shared_memory>(group, layer, places, net);
  }
}

// Computes the last layer, whose channels 2 m and 2 m + 1 alternate in mask m. `heights` are those of the windows.
template <bool in_shared_memory>
__device__ void run_last_layer(const Group& group, const NetLayer& layer, int input, const float* net,
                               const float* heights, float* masks) {
  constexpr int kBlock = 2 * kMasks;
  const int quads = layer.length / 4, windows = (group.windows + 1) / 2 * 2;
  for (int number = group.thread; number < quads * (windows / 2); number += kGroupThreads) {
    const Task task = task_of(number, quads, windows, 2);
    const float* g = factors_of<in_shared_memory>(layer, net);
    float sums[2][kBlock][4] = {};
    sum_quads<Filter::three, kBlock>(layer, g, nullptr, group.of(task.window, input), group.stride, task.t, sums);
#pragma unroll
    for (int w = 0; w < 2; ++w) {
      if (task.window + w >= group.windows) break;
      const bool flat = !(heights[task.window + w] > kMinHeight);
#pragma unroll
      for (int m = 0; m < kMasks; ++m) {
        const float4 even = with_bias(sums[w][2 * m], g[2 * m]), odd = with_bias(sums[w][2 * m + 1], g[2 * m + 1]);
        const auto p = [flat](float y) { return flat ? 0.0f : logistic<OneFloat>(y); };
        float4* out = reinterpret_cast<float4*>(masks + ((task.window + w) * kMasks + m) * kValues + 2 * task.t);
        out[0] = {p(even.x), p(odd.x), p(even.y), p(odd.y)};
        out[1] = {p(even.z), p(odd.z), p(even.w), p(odd.w)};
      }
    }
  }
  group.wait();
}

// Writes the two channels of the input.
__device__ void write_input(const Group& group, const NetInput& in, std::int64_t first) {
  constexpr int kQuads = kValues / 4;
  for (int task = group.thread; task < kQuads * group.windows; task += kGroupThreads) {
    const int window = task / kQuads, k = 4 * (task % kQuads);
    const float4 x = *reinterpret_cast<const float4*>(in.windows + (first + window) * kValues + k);
    const float scale = kHeightFactor / in.heights[first + window];
    const auto scaled = [&](float value) { return inverse_sinh<OneFloat>(value * scale) * kSignalFactor; };
    const Marks marks = in.marks[first + window];
    const MarkPlace before = place_of(marks.before), at = place_of(marks.at), after = place_of(marks.after);
    const auto mark = [&](int place) {
      const auto value = static_cast<float>(place);
      return (mark_at(before.whole, before.rest, value) + mark_at(at.whole, at.rest, value)) +
             mark_at(after.whole, after.rest, value);
    };
    float* row = group.of(window, 0);
    write_quad(row, k, kValues, {scaled(x.x), scaled(x.y), scaled(x.z), scaled(x.w)});
    write_quad(row + with_pads(kValues), k, kValues, {mark(k), mark(k + 1), mark(k + 2), mark(k + 3)});
  }
  group.wait();
}

struct NetShape {
  NetPlan plan;
  ActivationPlan activations;
  LayerPlaces places[kLayers];
  int groups, group_windows;
};

template <bool in_shared_memory>
__global__ void __launch_bounds__(kThreads, 1)
    wave_masks_kernel(const __grid_constant__ NetShape shape, const float* __restrict__ net, NetInput in,
                      float* __restrict__ masks) {
  const NetPlan& plan = shape.plan;
  if constexpr (in_shared_memory) {
    for (int i = static_cast<int>(threadIdx.x); i < plan.factors; i += static_cast<int>(blockDim.x))
      shared_memory()[i] = net[i];
    __syncthreads();
  }
  Group group;
  group.id = static_cast<int>(threadIdx.x) / kGroupThreads;
  group.thread = static_cast<int>(threadIdx.x) % kGroupThreads;
  group.stride = shape.activations.values;
  group.activations = (in_shared_memory ? plan.factors : 0) + group.id * shape.group_windows * group.stride;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * shape.groups * shape.group_windows;
  for (std::int64_t first = (static_cast<std::int64_t>(group.id) * gridDim.x + blockIdx.x) * shape.group_windows;
       first < in.count; first += step) {
    const std::int64_t left = in.count - first;
    group.windows = left < shape.group_windows ? static_cast<int>(left) : shape.group_windows;
    write_input(group, in, first);
#pragma unroll 1
    for (int n = 0; n < kOut; ++n) run_any<in_shared_memory>(group, plan.layers[n], shape.places[n], net);
    run_last_layer<in_shared_memory>(group, plan.layers[kOut], shape.places[kOut].input, net, in.heights + first,
                                     masks + first * kMasks * kValues);
  }
}

// Returns where the layers find what they read: the outputs of others.
std::array<LayerPlaces, kLayers> places_of_layers(const ActivationPlan& plan) {
  const auto at = [&](int layer) { return plan.of_layer[layer]; };
  std::array<LayerPlaces, kLayers> places;
  for (int n = 0; n < kLayers; ++n) places[n] = {0, n == kStem ? 0 : at(n - 1), at(n)};
  places[kU3] = {at(kM2), at(kE3), at(kU3)};
  places[kU2] = {at(kU3), at(kE2), at(kU2)};
  places[kU1] = {at(kU2), at(kE1), at(kU1)};
  return places;
}

}  // namespace

Net<Cuda> load_net(Cuda& cuda, const NetModel& model) {
  return {model.channels, from_host(cuda, pack(model, Arrangement::direct))};
}

void wave_masks(Cuda& cuda, const Net<Cuda>& net, std::span<const float> windows, std::span<const float> heights,
                std::span<const Marks> marks, std::span<float> masks) {
  const std::int64_t count = check_wave_masks(windows, heights, marks, masks);
  if (count == 0) return;
  NetShape shape{};
  shape.plan = plan_of(net.channels, Arrangement::direct);
  shape.activations = activation_plan(shape.plan);
  std::ranges::copy(places_of_layers(shape.activations), shape.places);
  // All launches ask for the same shared memory (Cuda::function_of), whatever the net. Large nets leave their factors
  // in global memory where they would leave no room for a group.
  const std::size_t bytes = shared_bytes_of_a_block(cuda);
  const auto floats = static_cast<int>(bytes / sizeof(float));
  const int window = shape.activations.values;
  const bool shared = floats - shape.plan.factors >= 2 * window;
  const int room = floats - (shared ? shape.plan.factors : 0);
  shape.group_windows = std::clamp(room / window / 2 * 2, 2, kGroupWindows);
  shape.groups = std::clamp(room / (shape.group_windows * window), 1, kMostGroups);
  launch_persistent(cuda, count,
                    {std::int64_t{shape.groups} * shape.group_windows, shape.groups * kGroupThreads, bytes, 1},
                    shared ? wave_masks_kernel<true> : wave_masks_kernel<false>, shape, net.packed.data(),
                    NetInput{windows.data(), heights.data(), marks.data(), count}, masks.data());
}

}  // namespace beatscan::waves
