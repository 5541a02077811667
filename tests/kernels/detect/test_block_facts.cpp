// Compares the facts about blocks with their definition.
#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/detect/beats.h"
#include "kernels/detect/detect.h"
#include "kernels/runtime/error.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {

bool operator==(const BlockFacts& a, const BlockFacts& b) {
  return a.min == b.min && a.max == b.max && a.at_min == b.at_min && a.at_max == b.at_max && a.near_min == b.near_min &&
         a.near_max == b.near_max && a.samples == b.samples && a.level == b.level;
}
void PrintTo(const BlockFacts& facts, std::ostream* out) {
  *out << facts.min << " " << facts.max << " " << facts.at_min << " " << facts.at_max << " " << facts.near_min << " "
       << facts.near_max << " " << facts.samples << " " << facts.level;
}

namespace {

using Floats = std::vector<float>;
using Facts = std::vector<BlockFacts>;

template <class Context>
class BlockFactsOf : public OnBackend<Context> {
 protected:
  Facts facts(const Floats& signal, const Floats& levels, int block) {
    return facts(signal, levels, block, std::ssize(levels));
  }
  Facts facts(const Floats& signal, const Floats& levels, int block, std::int64_t count) {
    auto& context = this->context();
    auto found = from_host(context, Facts(count, {NAN, NAN, -1, -1, -1, -1, -1, NAN}));  // all have to be overwritten
    block_facts(context, from_host(context, signal), from_host(context, levels), block, found);
    return to_host(context, found);
  }
};
TYPED_TEST_SUITE(BlockFactsOf, Backends, BackendNames);

TYPED_TEST(BlockFactsOf, ByHand) {
  const Floats signal = {1, 1, 0, 0, 0, 5, 5, 5, 2, 2};
  // The blocks have 4, 4 and 2 samples. A plateau ends with its block, and its last sample does not count.
  EXPECT_EQ(this->facts(signal, {1, 2, 4}, 4),
            (Facts{{0, 1, 1, 1, 2, 2, 4, 1}, {0, 5, 0, 2, 1, 3, 4, 2}, {2, 2, 1, 1, 0, 0, 2, 4}}));
}

TYPED_TEST(BlockFactsOf, TheLastBlockTakesAShortRest) {
  EXPECT_EQ(this->facts({1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 1}, 4),
            (Facts{{1, 4, 0, 0, 1, 1, 4, 1}, {5, 9, 0, 0, 1, 1, 5, 1}}));
  EXPECT_EQ(this->facts({3}, {1}, 500), (Facts{{3, 3, 0, 0, 0, 0, 1, 1}})) << "one sample";
}

Facts expected_facts(const Floats& signal, const Floats& levels, int block) {
  Facts facts(levels.size());
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const std::size_t first = i * block, last = i + 1 < levels.size() ? first + block : signal.size();
    BlockFacts& own = facts[i];
    own.min = *std::min_element(signal.begin() + first, signal.begin() + last);
    own.max = *std::max_element(signal.begin() + first, signal.begin() + last);
    own.samples = static_cast<std::int32_t>(last - first);
    own.level = levels[i];
    const float fifth = kEndShare * (own.max - own.min);
    for (std::size_t j = first; j < last; ++j) {
      own.near_min += signal[j] < own.min + fifth;
      own.near_max += signal[j] > own.max - fifth;
    }
    for (std::size_t j = first; j + 1 < last; ++j) {
      own.at_min += signal[j] == own.min && signal[j + 1] == own.min;
      own.at_max += signal[j] == own.max && signal[j + 1] == own.max;
    }
  }
  return facts;
}

// The sizes are around what one worker takes: a Cuda block 8 blocks of samples, a lane of it every 32nd sample, and a
// CPU thread 64 blocks. The signal has three values, so there are plateaus everywhere. Counts and comparisons
// are exact.
TYPED_TEST(BlockFactsOf, MatchTheirDefinition) {
  for (const std::int64_t blocks : {1, 7, 8, 9, 47, 127, 128, 129, 300})
    for (const int block : {1, 2, 31, 32, 33, 250})
      for (const std::int64_t rest : {0, 1, 2}) {
        const std::int64_t n = blocks * block + (rest == 2 ? -(block / 3) : rest * (block / 2 - (block % 2 == 0)));
        if (n < 1 || level_blocks(n, block) != blocks) continue;
        SCOPED_TRACE(testing::Message() << shape_and_seed("n", n, n) << " block=" << block);
        const auto signal = random_signal(n, n, 3), levels = random_signal(blocks, n + 2, 5);
        EXPECT_EQ(this->facts(signal, levels, block), expected_facts(signal, levels, block));
      }
}

TYPED_TEST(BlockFactsOf, PolarityExchangesTheEnds) {
  const auto signal = random_signal(5000, 3, 5);
  const Floats levels(50, 1.0f);
  Floats turned;
  for (const float value : signal) turned.push_back(-3 * value);
  auto expected = this->facts(signal, levels, 100);
  for (BlockFacts& own : expected) {
    own = {-3 * own.max, -3 * own.min, own.at_max, own.at_min, own.near_max, own.near_min, own.samples, own.level};
  }
  EXPECT_EQ(this->facts(turned, levels, 100), expected);
}

TYPED_TEST(BlockFactsOf, RefuseBadShapes) {
  const Floats ten(10, 1.0f), five(5, 1.0f), four(4, 1.0f);
  EXPECT_NO_THROW(this->facts(ten, five, 2));
  EXPECT_THROW_KIND(this->facts(ten, four, 2), ErrorKind::internal);
  EXPECT_THROW_KIND(this->facts(ten, five, 2, 4), ErrorKind::internal);
  EXPECT_THROW_KIND(this->facts(ten, five, 0), ErrorKind::internal);
  EXPECT_THROW_KIND(this->facts({}, {1}, 2), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
