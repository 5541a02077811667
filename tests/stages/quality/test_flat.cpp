// Tests which flat stretches are lead-off, and which may be a pause of the heart.
#include "stages/quality/quality.h"

#include <gtest/gtest.h>

#include "kernels/detect/quality_class.h"
#include "stages/quality/signal_quality.h"

namespace beatscan {
namespace {

// Makes the quality of blocks of 100 samples, from 0 to 1 where they are not flat and at `level` where they are.
SignalQuality with_flat(std::size_t blocks, std::size_t first, std::size_t last, float level) {
  SignalQuality quality{std::vector<Quality>(blocks, Quality::good), 100};
  quality.extents.assign(blocks, {0, 1});
  quality.usual_range = 1;
  for (std::size_t b = first; b < last; ++b) {
    quality.blocks[b] = Quality::flat;
    quality.extents[b] = {level, level};
  }
  return quality;
}

std::vector<std::pair<std::int64_t, std::int64_t>> off_of(const SignalQuality& quality, double longest = 1000) {
  std::vector<std::pair<std::int64_t, std::int64_t>> off;
  for (const Stretch& stretch : off_stretches(quality, 130, longest)) off.emplace_back(stretch.first, stretch.last);
  return off;
}

using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

TEST(OffStretches, AFlatLineAtTheBaselineMayBeAPause) {
  EXPECT_EQ(off_of(with_flat(20, 8, 12, 0.3f)), Pairs{});
  EXPECT_EQ(off_of(with_flat(20, 8, 12, 1.5f)), Pairs{}) << "as far from the middle as the typical range";
  EXPECT_EQ(off_of(with_flat(20, 8, 12, 1.6f)), (Pairs{{800, 1200}}));
  EXPECT_EQ(off_of(with_flat(20, 8, 12, -0.6f)), (Pairs{{800, 1200}}));
}

TEST(OffStretches, ALongOneIsNone) {
  EXPECT_EQ(off_of(with_flat(30, 8, 18, 0.3f)), Pairs{}) << "1000 samples";
  EXPECT_EQ(off_of(with_flat(30, 8, 19, 0.3f)), (Pairs{{800, 1900}}));
  EXPECT_EQ(off_of(with_flat(30, 20, 30, 0.3f)), (Pairs{{2000, 3030}})) << "the last block is longer";
}

TEST(OffStretches, ItsBeginningOrItsEndIsAway) {
  auto quality = with_flat(20, 8, 12, 0.3f);
  quality.extents[9] = {4, 4};
  EXPECT_EQ(off_of(quality), Pairs{});
  quality.extents[11] = {4, 4};
  EXPECT_EQ(off_of(quality), (Pairs{{800, 1200}}));
}

// The blocks next to the stretch hold a part of it, so that their middles are not the baseline's.
TEST(OffStretches, TheBlocksNextToItDoNotDefineTheBaseline) {
  auto quality = with_flat(5, 2, 3, 9);
  quality.extents[1] = quality.extents[3] = {0, 18};
  EXPECT_EQ(off_of(quality), (Pairs{{200, 300}}));
}

TEST(OffStretches, WithoutAnyOtherBlockItIsOff) {
  EXPECT_EQ(off_of(with_flat(3, 0, 3, 0)), (Pairs{{0, 330}}));
  EXPECT_EQ(off_of(with_flat(3, 0, 0, 0)), Pairs{});
}

}  // namespace
}  // namespace beatscan
