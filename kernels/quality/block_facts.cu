#include "kernels/quality/block_facts_common.h"
#include "kernels/runtime/launch.cuh"

namespace beatscan::quality {
namespace {

constexpr int kTileBlocks = 4;

// One warp measures one block. Runs of equal samples begin where a sample equals the next one but not the one before;
// each is followed to its end by one lane.
__global__ void sample_facts_kernel(LeadView lead, std::int64_t first, std::int64_t count, SampleFacts* facts) {
  const std::int64_t item = global_thread() / 32;
  const int lane = static_cast<int>(threadIdx.x % 32);
  if (item >= count) return;
  const std::int64_t begin = lead.block_start(first + item), end = lead.block_start(first + item + 1);
  const std::int64_t changes = end - begin - 1;
  const float* x = lead.samples;
  const auto over_warp = [](float value, const auto& better) {
    for (int step = 16; step > 0; step /= 2) value = better(value, __shfl_xor_sync(~0u, value, step));
    return value;
  };
  const auto less = [](float a, float b) { return smaller(a, b); };
  const auto more = [](float a, float b) { return larger(a, b); };
  ScanFacts scan;
  scan.low = scan.high = x[begin];
  for (std::int64_t i = begin + lane; i < end; i += 32) {
    scan.low = smaller(scan.low, x[i]);
    scan.high = larger(scan.high, x[i]);
  }
  scan.low = over_warp(scan.low, less);
  scan.high = over_warp(scan.high, more);
  scan.least_change = greatest_float();
  for (int p = 0; p < kParts; ++p) {
    float most = 0;
    for (std::int64_t i = begin + p * changes / kParts + lane; i < begin + (p + 1) * changes / kParts; i += 32) {
      const float change = size_of(x[i + 1] - x[i]);
      most = larger(most, change);
      if (change > 0) scan.least_change = smaller(scan.least_change, change);
    }
    scan.steepest[p] = over_warp(most, more);
  }
  scan.least_change = over_warp(scan.least_change, less);
  const RunLimits limits{least_run(kFlatS, lead.rate_hz), least_run(kRailS, lead.rate_hz), kFillS * lead.rate_hz,
                         scan.low, scan.high};
  RunFacts runs;
  for (std::int64_t i = begin + lane; i + 1 < end; i += 32) {
    if (x[i] != x[i + 1] || (i > begin && x[i - 1] == x[i])) continue;
    std::int64_t last = i + 1;
    while (last + 1 < end && x[last + 1] == x[last]) ++last;
    add_run(lead, limits, i, last, runs);
  }
  runs.jump = over_warp(runs.jump, more);
  runs.flat = __reduce_add_sync(~0u, static_cast<unsigned>(runs.flat));
  runs.rail = __reduce_add_sync(~0u, static_cast<unsigned>(runs.rail));
  if (lane == 0) facts[item] = facts_from(lead, begin, end, scan, runs, missing_of(lead, begin, end));
}

// A block of threads measures a tile in shared memory.
__global__ void band_facts_kernel(LeadView lead, std::int64_t first, std::int64_t count, BandFacts* facts) {
  extern __shared__ float memory[];
  __shared__ PartFacts parts[kTileBlocks * kParts];
  const std::int64_t begin = static_cast<std::int64_t>(blockIdx.x) * kTileBlocks;
  const int blocks = static_cast<int>(count - begin < kTileBlocks ? count - begin : kTileBlocks);
  tile_facts<Team>(Tile(memory, first + begin, blocks), lead, parts, facts + begin);
}

}  // namespace

void sample_facts(Cuda& cuda, const LeadView& lead, std::int64_t first, std::span<SampleFacts> facts) {
  const auto count = static_cast<std::int64_t>(facts.size());
  check_blocks(lead, first, count);
  if (count == 0) return;
  launch(cuda, {blocks_for(count, kBlock / 32)}, sample_facts_kernel, lead, first, count, facts.data());
}

void band_facts(Cuda& cuda, const LeadView& lead, std::int64_t first, std::span<BandFacts> facts) {
  const auto count = static_cast<std::int64_t>(facts.size());
  check_blocks(lead, first, count);
  if (count == 0) return;
  launch(cuda, {blocks_for(count, kTileBlocks), kBlock, Tile::floats(kTileBlocks) * sizeof(float)}, band_facts_kernel,
         lead, first, count, facts.data());
}

}  // namespace beatscan::quality
