#include "kernels/quality/block_facts.h"

#include <algorithm>
#include <vector>

#include "kernels/quality/block_facts_common.h"
#include "kernels/runtime/parallel.h"

namespace beatscan::quality {
namespace {

constexpr int kTileBlocks = 8;

// Finds the largest change, and the smallest that is not 0, between neighbours of the samples begin .. end.
template <int W>
BEATSCAN_INLINE void scan_changes(const float* x, std::int64_t begin, std::int64_t end, float& most, float& least) {
  most = 0;
  std::int64_t i = begin;
  Floats<W> large = {}, small = Floats<W>{} + greatest_float();
  for (; i + W <= end; i += W) {
    const Floats<W> change = load<W>(x + i + 1) - load<W>(x + i), negative = -change;
    const Floats<W> size = change > negative ? change : negative;
    const Floats<W> moving = size > 0.0f ? size : Floats<W>{} + greatest_float();
    large = size > large ? size : large;
    small = moving < small ? moving : small;
  }
  for (int lane = 0; lane < W; ++lane) {
    most = larger(most, large[lane]);
    least = smaller(least, small[lane]);
  }
  for (; i < end; ++i) {
    const float size = size_of(x[i + 1] - x[i]);
    most = larger(most, size);
    if (size > 0) least = smaller(least, size);
  }
}

template <int W>
BEATSCAN_INLINE void scan_values(const float* x, std::int64_t begin, std::int64_t end, float& low, float& high) {
  low = high = x[begin];
  std::int64_t i = begin;
  Floats<W> lows = Floats<W>{} + low, highs = lows;
  for (; i + W <= end; i += W) {
    const Floats<W> value = load<W>(x + i);
    lows = value < lows ? value : lows;
    highs = value > highs ? value : highs;
  }
  for (int lane = 0; lane < W; ++lane) {
    low = smaller(low, lows[lane]);
    high = larger(high, highs[lane]);
  }
  for (; i < end; ++i) low = smaller(low, x[i]), high = larger(high, x[i]);
}

RunFacts runs_of(const LeadView& lead, std::int64_t begin, std::int64_t end, const RunLimits& limits) {
  RunFacts facts;
  const float* x = lead.samples;
  for (std::int64_t i = begin; i + 1 < end; ++i) {
    if (x[i] != x[i + 1]) continue;
    const std::int64_t first = i;
    while (i + 1 < end && x[i] == x[i + 1]) ++i;
    add_run(lead, limits, first, i, facts);
  }
  return facts;
}

struct SampleFactsBody {
  template <int W>
  BEATSCAN_INLINE static void run(const LeadView& lead, std::int64_t first, std::int64_t last, SampleFacts* facts) {
    for (std::int64_t block = first; block < last; ++block) {
      const std::int64_t begin = lead.block_start(block), end = lead.block_start(block + 1), changes = end - begin - 1;
      ScanFacts scan;
      scan_values<W>(lead.samples, begin, end, scan.low, scan.high);
      scan.least_change = greatest_float();
      for (int p = 0; p < kParts; ++p)
        scan_changes<W>(lead.samples, begin + p * changes / kParts, begin + (p + 1) * changes / kParts,
                        scan.steepest[p], scan.least_change);
      const RunLimits limits{least_run(kFlatS, lead.rate_hz), least_run(kRailS, lead.rate_hz), kFillS * lead.rate_hz,
                             scan.low, scan.high};
      *facts++ = facts_from(lead, begin, end, scan, runs_of(lead, begin, end, limits), missing_of(lead, begin, end));
    }
  }
};

struct BandFactsBody {
  template <int W>
  BEATSCAN_INLINE static void run(const LeadView& lead, const Tile& tile, PartFacts* parts, BandFacts* facts) {
    tile_facts<OneThread<W>>(tile, lead, parts, facts);
  }
};

}  // namespace

void sample_facts(Cpu& cpu, const LeadView& lead, std::int64_t first, std::span<SampleFacts> facts) {
  check_blocks(lead, first, std::ssize(facts));
  parallel_for(cpu, std::ssize(facts), 32, [&](std::int64_t begin, std::int64_t end) {
    OnProcessor<SampleFactsBody>::run<const LeadView&>(lead, first + begin, first + end, facts.data() + begin);
  });
}

void band_facts(Cpu& cpu, const LeadView& lead, std::int64_t first, std::span<BandFacts> facts) {
  check_blocks(lead, first, std::ssize(facts));
  parallel_for(cpu, std::ssize(facts), 2 * kTileBlocks, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> memory(Tile::floats(kTileBlocks));
    std::vector<PartFacts> parts(kTileBlocks * kParts);
    for (std::int64_t block = begin; block < end; block += kTileBlocks) {
      const Tile tile(memory.data(), first + block, static_cast<int>(std::min<std::int64_t>(kTileBlocks, end - block)));
      OnProcessor<BandFactsBody>::run<const LeadView&, const Tile&>(lead, tile, parts.data(), facts.data() + block);
    }
  });
}

}  // namespace beatscan::quality
