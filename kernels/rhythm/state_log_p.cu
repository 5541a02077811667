#include <algorithm>
#include <cstring>
#include <vector>

#include "kernels/rhythm/state_log_p.h"
#include "kernels/runtime/buffer.h"
#include "kernels/runtime/launch.cuh"

namespace beatscan {
namespace {

constexpr int kTileThreads = 128;             // of a block: one for each beat of a tile
constexpr std::size_t kTileBytes = 40 << 10;  // of shared memory, at most: enough for a measure of the longest reach
static_assert((kTileThreads + 2 * kMostWindowReach) * sizeof(float) <= kTileBytes);

enum : std::int32_t { kSquares = 1, kExtremes = 2 };

// A measure as the kernel reads it. The statistics besides sums are computed only where a feature needs them.
struct MeasureView {
  const float* values;
  std::int32_t first_feature, features;
  std::int32_t needs;  // kSquares, kExtremes
};

struct RegressionView {
  const StateValues* weight;
  const WindowFeature* features;
  const MeasureView* measures;
  int measure_count, reach, at_a_time;
  float intercept[kMostStates];
};

// The statistics of the window around a beat. It grows by a beat on either side at a time. Sums are those of the CPU,
// bit for bit: the file is compiled without fused products.
struct GrowingWindow {
  double sum = 0, square = 0;
  int count = 0;
  float most = -INFINITY, least = INFINITY;

  __device__ void add_one(float value, std::int32_t needs) {
    count += value == value;
    if (needs & kExtremes) most = value > most ? value : most, least = value < least ? value : least;
  }
  __device__ void begin(float value, std::int32_t needs) {
    sum = value == value ? value : 0;
    square = sum * sum;
    add_one(value, needs);
  }
  __device__ void grow(float before, float after, std::int32_t needs) {
    const double a = before == before ? before : 0, b = after == after ? after : 0;
    sum += a + b;
    if (needs & kSquares) square += a * a + b * b;
    add_one(before, needs);
    add_one(after, needs);
  }
  __device__ float value(WindowStatistic statistic) const {
    if (statistic == WindowStatistic::most) return most;
    if (statistic == WindowStatistic::least) return least;
    const double share = 1.0 / count, mean = sum * share;
    if (statistic == WindowStatistic::mean) return static_cast<float>(mean);
    const double variance = square * share - mean * mean;
    return static_cast<float>(variance < 0 ? 0 : sqrt(variance));
  }
};

__device__ float standardised(const WindowFeature& feature, float value) {
  const float z = (value - feature.mean) / feature.deviation;
  return !(z - z == 0) ? 0 : z < -kMostDeviations ? -kMostDeviations : z > kMostDeviations ? kMostDeviations : z;
}

__device__ void add_weighted(const StateValues* weight, float z, float (&sums)[kMostStates]) {
  const auto* row = reinterpret_cast<const float4*>(weight);
#pragma unroll
  for (int k = 0; k < kMostStates / 4; ++k) {
    const float4 w = __ldg(row + k);
    sums[4 * k] += w.x * z;
    sums[4 * k + 1] += w.y * z;
    sums[4 * k + 2] += w.z * z;
    sums[4 * k + 3] += w.w * z;
  }
}

// Adds the features of a measure at the beat whose value is *own.
__device__ void add_measure(const RegressionView& of, const MeasureView& measure, const float* own,
                            float (&sums)[kMostStates]) {
  GrowingWindow window;
  window.begin(*own, measure.needs);
  int reach = 0;
  for (int f = measure.first_feature; f < measure.first_feature + measure.features; ++f) {
    const WindowFeature feature = of.features[f];
    for (; reach < feature.reach; ++reach) window.grow(own[-reach - 1], own[reach + 1], measure.needs);
    add_weighted(of.weight + f, standardised(feature, window.value(feature.statistic)), sums);
  }
}

__device__ void store_log_softmax(const float (&sums)[kMostStates], StateValues* log_p) {
  float most = sums[0], sum = 0;
#pragma unroll
  for (int s = 1; s < kMostStates; ++s) most = fmaxf(most, sums[s]);
#pragma unroll
  for (int s = 0; s < kMostStates; ++s) sum += expf(sums[s] - most);
  const float all = most + logf(sum);
  auto* row = reinterpret_cast<float4*>(log_p);
#pragma unroll
  for (int k = 0; k < kMostStates; k += 4)
    row[k / 4] = make_float4(sums[k] - all, sums[k + 1] - all, sums[k + 2] - all, sums[k + 3] - all);
}

// A block computes a tile of beats, one thread each. It keeps some measures at a time in shared memory, at the beats of
// the tile and around them; values that do not exist are NaN there. All threads read the same weights.
__global__ void state_log_p_kernel(RegressionView of, std::int64_t beats, StateValues* log_p) {
  extern __shared__ float tile[];
  const int width = kTileThreads + 2 * of.reach;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kTileThreads;
  float sums[kMostStates];
#pragma unroll
  for (int s = 0; s < kMostStates; ++s) sums[s] = of.intercept[s];
  for (int begin = 0; begin < of.measure_count; begin += of.at_a_time) {
    const int some = min(of.at_a_time, of.measure_count - begin);
    __syncthreads();
#pragma unroll 4
    for (int m = 0; m < some; ++m) {
      const float* values = of.measures[begin + m].values;
      for (int j = static_cast<int>(threadIdx.x); j < width; j += kTileThreads) {
        const std::int64_t at = first - of.reach + j;
        const float value = at >= 0 && at < beats ? values[at] : NAN;
        tile[m * width + j] = value - value == 0 ? value : NAN;
      }
    }
    __syncthreads();
    for (int m = 0; m < some; ++m)
      add_measure(of, of.measures[begin + m], tile + m * width + of.reach + threadIdx.x, sums);
  }
  const std::int64_t i = first + threadIdx.x;
  if (i < beats) store_log_softmax(sums, log_p + i);
}

std::int32_t needs_of(const WindowRegression& regression, std::int64_t m) {
  std::int32_t needs = 0;
  for (int f = regression.first_feature[m]; f < regression.first_feature[m + 1]; ++f) {
    const WindowStatistic statistic = regression.features[f].statistic;
    if (statistic == WindowStatistic::deviation) needs |= kSquares;
    if (statistic == WindowStatistic::most || statistic == WindowStatistic::least) needs |= kExtremes;
  }
  return needs;
}

// The parts of a regression, which lie one after the other, so that one copy brings them to the device.
class PackedRegression {
 public:
  PackedRegression(Cuda& cuda, const WindowRegression& regression) {
    std::vector<MeasureView> measures;
    for (std::int64_t m = 0; m < regression.size(); ++m)
      measures.push_back({regression.measures[m], regression.first_feature[m],
                          regression.first_feature[m + 1] - regression.first_feature[m], needs_of(regression, m)});
    const std::size_t weight = add(regression.weight), features = add(regression.features), list = add(measures);
    device_ = from_host(cuda, bytes_);
    view_ = {reinterpret_cast<const StateValues*>(device_.data() + weight),
             reinterpret_cast<const WindowFeature*>(device_.data() + features),
             reinterpret_cast<const MeasureView*>(device_.data() + list),
             static_cast<int>(measures.size()),
             0,
             0,
             {}};
    std::ranges::copy(regression.intercept, view_.intercept);
    for (const WindowFeature& feature : regression.features) view_.reach = std::max(view_.reach, feature.reach);
    const std::size_t of_one = (kTileThreads + 2 * view_.reach) * sizeof(float);
    view_.at_a_time = static_cast<int>(std::clamp<std::size_t>(kTileBytes / of_one, 1, 8));
    shared_bytes_ = view_.at_a_time * of_one;
  }
  const RegressionView& view() const { return view_; }
  std::size_t shared_bytes() const { return shared_bytes_; }

 private:
  // Appends values, and returns where they begin.
  template <class T>
  std::size_t add(const std::vector<T>& values) {
    constexpr std::size_t kAligned = 64;
    const std::size_t at = (bytes_.size() + kAligned - 1) / kAligned * kAligned;
    bytes_.resize(at + values.size() * sizeof(T));
    if (!values.empty()) std::memcpy(bytes_.data() + at, values.data(), values.size() * sizeof(T));
    return at;
  }

  std::vector<char> bytes_;
  Buffer<char, Cuda> device_;
  RegressionView view_{};
  std::size_t shared_bytes_ = 0;
};

}  // namespace

void state_log_p(Cuda& cuda, const WindowRegression& regression, std::span<StateValues> log_p) {
  check_regression(regression);
  if (log_p.empty()) return;
  const PackedRegression packed(cuda, regression);
  launch(cuda, {blocks_for(std::ssize(log_p), kTileThreads), kTileThreads, packed.shared_bytes()}, state_log_p_kernel,
         packed.view(), std::ssize(log_p), log_p.data());
}

}  // namespace beatscan
