#include "kernels/waves/cut_windows.h"

#include <algorithm>

#include "kernels/runtime/launch.cuh"
#include "kernels/waves/medians.cuh"

namespace beatscan::waves {

namespace {

constexpr int kMostWarps = 8;

struct CutGrid {
  const double* r;
  std::int64_t windows;
  double step;
  int taps, before, phases, size;  // size: samples of a window
  const float* weights;
};

// Finds the piece of the baseline that a sample of the window lies on, with divisions of 32 bits: relative to the piece
// of the first one.
struct PieceFinder {
  std::int64_t first_sample, first_block;
  int rest, block;
  double last_centre, slope_factor;

  __device__ PieceFinder(const BaselinedLead& lead, std::int64_t first) : first_sample(first) {
    const std::int64_t twice = 2 * first - (lead.block - 1), whole = 2 * lead.block;
    first_block = twice < 0 ? -1 : twice / whole;
    rest = static_cast<int>(twice - first_block * whole);
    block = static_cast<int>(lead.block);
    last_centre = lead.centre(lead.blocks - 1);
    slope_factor = 1.0 / static_cast<double>(block);
  }
  __device__ float without_baseline(const BaselinedLead& lead, std::int64_t sample) const {
    std::int64_t j = first_block + (static_cast<unsigned>(2 * (sample - first_sample)) + rest) / (2 * block);
    if (static_cast<double>(sample) >= last_centre) j = lead.blocks - 1;
    BaselinePiece piece;
    if (j < 0 || j + 2 >= lead.blocks)  // the last block may be shorter
      piece = piece_of(lead, j > lead.blocks - 2 && static_cast<double>(sample) < last_centre ? lead.blocks - 2 : j);
    else
      piece = {lead.levels[j], (lead.levels[j + 1] - lead.levels[j]) * slope_factor, lead.centre(j)};
    return piece.without(lead.samples[sample], sample, lead.mv_per_unit);
  }
};

// Returns the sum of products of one value. Missing samples are NaN and do not count.
template <bool gaps>
__device__ __forceinline__ float weighted_mean(const CutGrid& grid, const TableRows& rows, const float* y) {
  const float* a = grid.weights + static_cast<std::int64_t>(rows.row) * grid.taps;
  float sum = 0, total = 0;
  for (int t = 0; t < grid.taps; t += 4) {
    const float4 low = *reinterpret_cast<const float4*>(a + t);
    const float4 high = *reinterpret_cast<const float4*>(a + grid.taps + t);
    const float weights[4] = {fmaf(rows.share, high.x - low.x, low.x), fmaf(rows.share, high.y - low.y, low.y),
                              fmaf(rows.share, high.z - low.z, low.z), fmaf(rows.share, high.w - low.w, low.w)};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float sample = y[rows.sample + t + i];
      if (gaps && isnan(sample)) continue;
      sum = fmaf(weights[i], sample, sum);
      if (gaps) total += weights[i];
    }
  }
  if (!gaps) return sum;
  return total >= kLeastWeight ? sum / total : NAN;
}

// Replaces missing values by the median of the others.
__device__ __forceinline__ void fill(float (&values)[kLaneValues]) {
  int present = 0;
#pragma unroll
  for (int i = 0; i < kLaneValues; ++i) present += !isnan(values[i]);
  present = static_cast<int>(__reduce_add_sync(~0u, static_cast<unsigned>(present)));
  if (present == kValues) return;
  const float median = present > 0 ? warp_median(values, present) : 0;
#pragma unroll
  for (int i = 0; i < kLaneValues; ++i)
    if (isnan(values[i])) values[i] = median;
}

// One warp cuts one window. It first puts the samples, minus their baseline, into shared memory, and then the means.
__global__ void __launch_bounds__(kMostWarps * 32)
    cut_windows_kernel(BaselinedLead lead, CutGrid grid, float* __restrict__ windows) {
  extern __shared__ float shared[];
  const int lane = static_cast<int>(threadIdx.x % 32);
  const std::int64_t window = global_thread() / 32;
  if (window >= grid.windows) return;
  float* y = shared + threadIdx.x / 32 * (grid.size + kValues);
  const WindowPlaces places = places_of(grid.r[window], grid.step, grid.before);
  const std::int64_t first = lead.inside(places.first), last = lead.inside(places.first + grid.size - 1);
  const PieceFinder finder(lead, first);
  for (int i = lane; i < grid.size; i += 32) y[i] = finder.without_baseline(lead, lead.inside(places.first + i));
  const bool gaps = lead.gaps.any(first, last);
  if (gaps)
    for (int i = lane; i < grid.size; i += 32) {
      const std::int64_t sample = lead.inside(places.first + i);
      if (lead.gaps.any(sample, sample)) y[i] = NAN;
    }
  __syncwarp();
  float* means = y + grid.size;
#pragma unroll 1
  for (int k = lane; k < kValues; k += 32) {
    const TableRows rows = rows_of(places.at_zero + k * places.step, grid.before, grid.phases);
    means[k] = gaps ? weighted_mean<true>(grid, rows, y) : weighted_mean<false>(grid, rows, y);
  }
  float values[kLaneValues];
#pragma unroll
  for (int i = 0; i < kLaneValues; ++i) values[i] = means[32 * i + lane];
  if (gaps) fill(values);
  const float median = warp_median(values, kValues);
#pragma unroll
  for (int i = 0; i < kLaneValues; ++i) windows[window * kValues + 32 * i + lane] = values[i] - median;
}

}  // namespace

SamplingTable<Cuda> sampling_table(Cuda& cuda, double rate_hz) {
  const SamplingTable<Cpu> shape = shape_of_table(rate_hz);
  return {shape.taps, shape.before, shape.phases, from_host(cuda, table_weights(rate_hz))};
}

void cut_windows(Cuda& cuda, const LeadSignal& lead, std::span<const double> levels, const SamplingTable<Cuda>& table,
                 std::span<const double> r, std::span<float> windows) {
  const auto count = static_cast<std::int64_t>(r.size());
  const BaselinedLead baselined =
      checked_lead(lead, levels, table.taps, count, static_cast<std::int64_t>(windows.size()));
  if (count == 0) return;
  const int size = samples_of_window(lead.rate_hz, table.taps);
  const CutGrid grid{r.data(),     count, lead.rate_hz / kValuesHz, table.taps, table.before,
                     table.phases, size,  table.weights.data()};
  const std::size_t bytes = (size + kValues) * sizeof(float);  // of shared memory, for a warp
  const int warps = std::clamp(static_cast<int>(48 * 1024 / bytes), 1, kMostWarps);
  launch(cuda, {blocks_for(count, warps), static_cast<unsigned>(32 * warps), warps * bytes}, cut_windows_kernel,
         baselined, grid, windows.data());
}

}  // namespace beatscan::waves
