#include "kernels/lists/bits.h"

#include <numeric>

#include "tests/support/backends.h"

namespace beatscan {
namespace {

using Positions = std::vector<std::int64_t>;

template <class Context>
class Bits : public OnBackend<Context> {
 protected:
  Positions run(const std::vector<std::uint32_t>& words, Pick pick) {
    const auto device_words = from_host(this->context(), words);
    return to_host(this->context(), positions(this->context(), device_words, pick));
  }
};
TYPED_TEST_SUITE(Bits, Backends, BackendNames);

Positions expected_positions(const std::vector<bool>& set, Pick pick) {
  Positions result;
  for (std::size_t i = 0; i < set.size(); ++i) {
    const bool before = i > 0 && set[i - 1], after = i + 1 < set.size() && set[i + 1];
    if (set[i] && !(pick == Pick::run_firsts && before) && !(pick == Pick::run_lasts && after))
      result.push_back(static_cast<std::int64_t>(i));
  }
  return result;
}

TYPED_TEST(Bits, WorkedByHand) {
  const std::vector<std::uint32_t> words{0b1011'1001u, 0u, 1u << 31, 1u};
  EXPECT_EQ(this->run(words, Pick::every), (Positions{0, 3, 4, 5, 7, 95, 96}));
  EXPECT_EQ(this->run(words, Pick::run_firsts), (Positions{0, 3, 7, 95}));
  EXPECT_EQ(this->run(words, Pick::run_lasts), (Positions{0, 5, 7, 96})) << "a run goes on over the border of a word";
}

TYPED_TEST(Bits, OfNothingAndOfEmptySets) {
  for (const Pick pick : {Pick::every, Pick::run_firsts, Pick::run_lasts}) {
    EXPECT_EQ(this->run({}, pick), Positions{});
    EXPECT_EQ(this->run({0}, pick), Positions{});
    EXPECT_EQ(this->run(std::vector<std::uint32_t>(1000), pick), Positions{});
  }
}

TYPED_TEST(Bits, OfAFullSet) {
  const std::vector<std::uint32_t> words(1000, ~0u);
  Positions all(32'000);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(this->run(words, Pick::every), all);
  EXPECT_EQ(this->run(words, Pick::run_firsts), Positions{0});
  EXPECT_EQ(this->run(words, Pick::run_lasts), Positions{31'999});
}

// Running sums of few words are made by one block, a part at a time, and those of many by several.
TYPED_TEST(Bits, OfSetsAroundTheLimitOfOneBlock) {
  for (const std::int64_t words : {8191, 8192, 8193, 65'534, 65'535, 65'536, 70'000}) {
    SCOPED_TRACE(words);
    std::vector<std::uint32_t> some(words);
    Positions expected;
    for (std::int64_t i = 0; i < words; ++i) {
      some[i] = i % 3 == 0 ? 0 : 1u << (i % 32);
      if (some[i]) expected.push_back(32 * i + i % 32);
    }
    EXPECT_EQ(this->run(some, Pick::every), expected);
  }
}

// A block handles 256 words. Sets are from nearly empty to nearly full, so that runs cross words and blocks.
TYPED_TEST(Bits, MatchesDefinitionOnRandomSets) {
  for (const std::int64_t words : sizes_around(256))
    for (const unsigned sixteenths : {1u, 8u, 15u}) {
      const std::uint64_t seed = words * 16 + sixteenths;
      SCOPED_TRACE(shape_and_seed("words", words, seed));
      std::mt19937_64 random(seed);
      std::vector<bool> set(words * 32 - random() % 32);
      for (std::size_t i = 0; i < set.size(); ++i) set[i] = random() % 16 < sixteenths;
      for (const Pick pick : {Pick::every, Pick::run_firsts, Pick::run_lasts})
        EXPECT_EQ(this->run(words_of(set), pick), expected_positions(set, pick)) << "pick " << static_cast<int>(pick);
    }
}

// Property: runs have as many firsts as lasts, and their lengths add up to the set.
TYPED_TEST(Bits, RunsCoverTheSet) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    std::vector<std::uint32_t> words(3000);
    for (auto& word : words) word = random() % 3 ? ~0u << random() % 32 : static_cast<std::uint32_t>(random());
    const auto firsts = this->run(words, Pick::run_firsts), lasts = this->run(words, Pick::run_lasts);
    ASSERT_EQ(firsts.size(), lasts.size());
    std::int64_t covered = 0;
    for (std::size_t run = 0; run < firsts.size(); ++run) {
      EXPECT_LE(firsts[run], lasts[run]);
      if (run > 0) {
        EXPECT_GT(firsts[run], lasts[run - 1] + 1) << "neighbouring runs are one run";
      }
      covered += lasts[run] - firsts[run] + 1;
    }
    EXPECT_EQ(covered, std::ssize(this->run(words, Pick::every)));
  }
}

TYPED_TEST(Bits, PositionsOfAByteMatchTheirDefinition) {
  auto& context = this->context();
  for (const std::int64_t n : {0, 1, 31, 32, 33, 255, 256, 257, 10'000}) {
    SCOPED_TRACE(shape_and_seed("n", n, n));
    std::mt19937_64 random(n);
    std::vector<std::uint8_t> bytes(n);
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random() % 3);
    for (const std::uint8_t value : {0, 1, 2, 3}) {
      Positions expected;
      for (std::int64_t i = 0; i < n; ++i)
        if (bytes[i] == value) expected.push_back(i);
      EXPECT_EQ(to_host(context, positions_of(context, from_host(context, bytes), value)), expected) << int{value};
    }
  }
}

}  // namespace
}  // namespace beatscan
