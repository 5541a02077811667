#include "kernels/lists/bits.h"
#include "kernels/quality/find_beats_common.h"
#include "kernels/runtime/launch.cuh"

namespace beatscan::quality {
namespace {

constexpr int kTileBlocks = 4;

// A block of threads works on a tile in shared memory.
__global__ void find_beats_kernel(LeadView lead, const LocalMedians* medians, const float* levels, std::int64_t first,
                                  std::int64_t count, std::uint32_t* counts, BeatRow* rows, Leakage* leakage) {
  extern __shared__ float memory[];
  __shared__ LeakageSums sums[kTileBlocks * kFrameParts];
  __shared__ FrameFacts frames[kTileBlocks];
  const std::int64_t begin = static_cast<std::int64_t>(blockIdx.x) * kTileBlocks;
  const int blocks = static_cast<int>(count - begin < kTileBlocks ? count - begin : kTileBlocks);
  tile_beats<Team>(Tile(memory, first + begin, blocks), lead, medians, levels, {sums, frames}, counts + begin,
                   rows + begin * kMostBeats, leakage + begin);
}

}  // namespace

void find_beats(Cuda& cuda, const LeadView& lead, std::span<const LocalMedians> medians, std::span<const float> levels,
                std::int64_t first, std::span<std::uint32_t> counts, std::span<BeatRow> rows,
                std::span<Leakage> leakage) {
  const auto count = static_cast<std::int64_t>(counts.size());
  check_window(lead, static_cast<std::int64_t>(medians.size()), static_cast<std::int64_t>(levels.size()), first, count,
               static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(leakage.size()));
  if (count == 0) return;
  launch(cuda, {blocks_for(count, kTileBlocks), kBlock, Tile::floats(kTileBlocks) * sizeof(float)}, find_beats_kernel,
         lead, medians.data(), levels.data(), first, count, counts.data(), rows.data(), leakage.data());
}

void sum_counts(Cuda& cuda, std::span<std::uint32_t> counts) { exclusive_sum(cuda, counts); }

}  // namespace beatscan::quality
