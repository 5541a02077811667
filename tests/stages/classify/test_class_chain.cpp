#include "stages/classify/class_chain.h"

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "kernels/runtime/buffer.h"
#include "tests/support/backends.h"

namespace beatscan {
namespace {

using ChainOdds = std::array<double, kChainStates - 1>;  // of V and X

constexpr ClassChain kMade = {.slope = {0.8, 1.1}, .pair = {{{0.0, 0.3, -0.5}, {0.4, 1.2, -0.7}, {0.1, -2.0, 0.6}}}};

double weight_of(const ClassChain& chain, const ChainOdds& odds, int state) {
  return state == 0 ? 1 : std::exp(chain.slope[state - 1] * odds[state - 1]);
}

template <class Context>
std::vector<ChainOdds> chained(Context& context, const std::vector<ChainOdds>& odds, const ClassChain& chain) {
  auto own = from_host(context, odds);
  chain_odds<Context>(context, chain, {reinterpret_cast<double*>(own.data()), 2 * odds.size()});
  return to_host(context, own);
}

template <class Context>
class ClassChainTest : public OnBackend<Context> {
 protected:
  std::vector<ChainOdds> chained_odds(const std::vector<ChainOdds>& odds, const ClassChain& chain) {
    return chained(this->context(), odds, chain);
  }
};
TYPED_TEST_SUITE(ClassChainTest, Backends, BackendNames);

TYPED_TEST(ClassChainTest, OfTwoBeatsWeighsEachPair) {
  const std::vector<ChainOdds> odds = {{1, -2}, {-0.5, 0.3}};
  std::array<double, kChainStates> first{}, second{};
  for (int a = 0; a < kChainStates; ++a)
    for (int b = 0; b < kChainStates; ++b) {
      const double weight = weight_of(kMade, odds[0], a) * weight_of(kMade, odds[1], b) * std::exp(kMade.pair[a][b]);
      first[a] += weight;
      second[b] += weight;
    }
  const auto found = this->chained_odds(odds, kMade);
  ASSERT_EQ(found.size(), 2u);
  for (int s = 1; s < kChainStates; ++s) {
    EXPECT_NEAR(found[0][s - 1], std::log(first[s] / first[0]), 1e-12);
    EXPECT_NEAR(found[1][s - 1], std::log(second[s] / second[0]), 1e-12);
  }
}

// The values are those of scripts/classify/chain.py.
TYPED_TEST(ClassChainTest, AgreesWithTheScript) {
  const std::vector<ChainOdds> odds = {{-3, -4}, {2.5, -1}, {-1, 1.5}, {4, -3}, {-6, 0.2}, {-9, -9}};
  const std::vector<ChainOdds> expected = {{-1.52569906876, -6.14064021952},  {3.00191777126, -1.78793481904},
                                           {0.853940349634, -1.41152858051},  {3.43722591509, -2.62864234815},
                                           {-3.61027639389, -0.756449749199}, {-7.21972302748, -9.97400804171}};
  const auto found = this->chained_odds(odds, kMade);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    for (int s = 0; s < 2; ++s) EXPECT_NEAR(found[i][s], expected[i][s], 1e-9) << i;
}

TYPED_TEST(ClassChainTest, WithoutWeightsLeavesTheOdds) {
  const std::vector<ChainOdds> odds = {{1, -2}, {0.5, 30}, {-9, -9}};
  const auto found = this->chained_odds(odds, {});
  for (std::size_t i = 0; i < found.size(); ++i)
    for (int s = 0; s < 2; ++s) EXPECT_NEAR(found[i][s], odds[i][s], 1e-9) << i;
  EXPECT_TRUE(this->chained_odds({}, kMade).empty());
}

// The most that a model file may hold.
TYPED_TEST(ClassChainTest, OfTheLargestNumbersIsFinite) {
  const ClassChain chain = {.slope = {3, 3}, .pair = {{{20, -20, -20}, {-20, 20, -20}, {-20, -20, 20}}}};
  for (const double most : {30.0, 60.0}) {
    const std::vector<ChainOdds> odds = {{most, -most}, {-most, most}, {-most, -most}, {most, most}, {most, -most}};
    for (const ChainOdds& of_beat : this->chained_odds(odds, chain))
      for (const double value : of_beat) EXPECT_TRUE(std::isfinite(value)) << most;
  }
}

// An artifact between ventricular beats is more likely to be one of them.
TYPED_TEST(ClassChainTest, TheNeighboursDecideWhereABeatDoesNot) {
  const ClassChain chain = {.pair = {{{0, 0, 0}, {0, 0, -2}, {0, -2, 0}}}};
  const auto among_v = this->chained_odds(std::vector<ChainOdds>{{5, -5}, {1, 1.2}, {5, -5}}, chain),
             alone = this->chained_odds(std::vector<ChainOdds>{{-5, -5}, {1, 1.2}, {-5, -5}}, chain);
  EXPECT_GT(among_v[1][0], among_v[1][1]);
  EXPECT_LT(alone[1][0], alone[1][1]);
}

// The GPU divides a chain into 256 parts.
TYPED_TEST(ClassChainTest, OfManyBeatsIsThatOfTheCpu) {
  std::mt19937 random(11);
  Cpu cpu(1);
  for (const std::size_t beats : {1, 255, 256, 257, 5000}) {
    std::vector<ChainOdds> odds(beats);
    for (ChainOdds& of_beat : odds)
      for (double& value : of_beat) value = 1e-3 * static_cast<double>(random() % 18'000) - 9;
    const auto found = this->chained_odds(odds, kMade), expected = chained(cpu, odds, kMade);
    for (std::size_t i = 0; i < beats; ++i)
      for (int s = 0; s < 2; ++s) ASSERT_NEAR(found[i][s], expected[i][s], 1e-10) << beats << ", " << i;  // roundings
  }
}

}  // namespace
}  // namespace beatscan
