#include <algorithm>
#include <vector>

#include "kernels/quality/beats.h"
#include "kernels/quality/find_beats_common.h"
#include "kernels/runtime/parallel.h"

namespace beatscan::quality {
namespace {

constexpr int kTileBlocks = 8;

struct FindBeatsBody {
  template <int W>
  BEATSCAN_INLINE static void run(const Tile& tile, const LeadView& lead, const LocalMedians* medians,
                                  const float* levels, const BeatTile& memory, std::uint32_t* counts, BeatRow* rows,
                                  Leakage* leakage) {
    tile_beats<OneThread<W>>(tile, lead, medians, levels, memory, counts, rows, leakage);
  }
};

}  // namespace

void find_beats(Cpu& cpu, const LeadView& lead, std::span<const LocalMedians> medians, std::span<const float> levels,
                std::int64_t first, std::span<std::uint32_t> counts, std::span<BeatRow> rows,
                std::span<Leakage> leakage) {
  check_window(lead, std::ssize(medians), std::ssize(levels), first, std::ssize(counts), std::ssize(rows),
               std::ssize(leakage));
  parallel_for(cpu, std::ssize(counts), 2 * kTileBlocks, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> memory(Tile::floats(kTileBlocks));
    std::vector<LeakageSums> sums(kTileBlocks * kFrameParts);
    std::vector<FrameFacts> frames(kTileBlocks);
    for (std::int64_t b = begin; b < end; b += kTileBlocks) {
      const Tile tile(memory.data(), first + b, static_cast<int>(std::min<std::int64_t>(kTileBlocks, end - b)));
      OnProcessor<FindBeatsBody>::run<const Tile&, const LeadView&>(
          tile, lead, medians.data(), levels.data(), BeatTile{sums.data(), frames.data()}, counts.data() + b,
          rows.data() + b * kMostBeats, leakage.data() + b);
    }
  });
}

void sum_counts(Cpu&, std::span<std::uint32_t> counts) {
  std::uint32_t sum = 0;
  for (std::uint32_t& count : counts) sum += std::exchange(count, sum);
}

}  // namespace beatscan::quality
