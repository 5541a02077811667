#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "app/evaluation/beat_quality.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

using Samples = std::vector<std::int64_t>;
using Match = std::vector<std::optional<std::size_t>>;
constexpr auto kNone = std::nullopt;

TEST(MatchBeats, WorkedByHand) {
  EXPECT_EQ(match_beats(Samples{100, 200, 300}, Samples{98, 203, 420}, 5), (Match{0, 1, kNone}));
  EXPECT_EQ(match_beats(Samples{100}, Samples{105}, 5), (Match{0})) << "the tolerance is inclusive";
  EXPECT_EQ(match_beats(Samples{100}, Samples{106}, 5), (Match{kNone}));
  EXPECT_EQ(match_beats(Samples{100}, Samples{100, 100}, 0), (Match{0})) << "at most once";
  EXPECT_EQ(match_beats(Samples{100, 100}, Samples{100}, 0), (Match{0, kNone}));
  EXPECT_EQ(match_beats(Samples{}, Samples{1}, 5), (Match{}));
  EXPECT_EQ(match_beats(Samples{1}, Samples{}, 5), (Match{kNone}));
  EXPECT_EQ(match_beats(Samples{}, Samples{}, 5), (Match{}));
}

TEST(MatchBeats, MakesAsManyPairsAsPossible) {
  // The nearest detected beat of both is 10, but two pairs are possible.
  EXPECT_EQ(match_beats(Samples{9, 12}, Samples{5, 10}, 4), (Match{0, 1}));
}

TEST(MatchBeats, PrefersTheNearest) {
  EXPECT_EQ(match_beats(Samples{100}, Samples{70, 101}, 37), (Match{1})) << "a stray detection before the beat";
  EXPECT_EQ(match_beats(Samples{100}, Samples{99, 130}, 37), (Match{0}));
  EXPECT_EQ(match_beats(Samples{70, 101}, Samples{100}, 37), (Match{kNone, 0}));
  EXPECT_EQ(match_beats(Samples{100, 200}, Samples{65, 98, 120, 201, 230}, 37), (Match{1, 3}));
}

TEST(MatchBeats, RefusesBeatsOutOfOrder) {
  EXPECT_THROW_KIND(match_beats(Samples{2, 1}, Samples{}, 5), ErrorKind::internal);
  EXPECT_THROW_KIND(match_beats(Samples{}, Samples{2, 1}, 5), ErrorKind::internal);
  EXPECT_THROW_KIND(match_beats(Samples{}, Samples{}, -1), ErrorKind::internal);
}

struct Merit {
  int pairs = 0;
  std::int64_t distance = 0;
};

// Tries every matching: reference beat i is unmatched or takes any free detected beat.
Merit best_by_trying(const Samples& reference, const Samples& detected, std::int64_t tolerance, std::size_t i = 0,
                     unsigned used = 0) {
  if (i == reference.size()) return {};
  Merit best = best_by_trying(reference, detected, tolerance, i + 1, used);
  for (std::size_t j = 0; j < detected.size(); ++j) {
    const auto distance = std::abs(reference[i] - detected[j]);
    if (used >> j & 1 || distance > tolerance) continue;
    Merit merit = best_by_trying(reference, detected, tolerance, i + 1, used | 1u << j);
    merit = {merit.pairs + 1, merit.distance + distance};
    if (merit.pairs > best.pairs || (merit.pairs == best.pairs && merit.distance < best.distance)) best = merit;
  }
  return best;
}

// The number of pairs if each beat takes the first free one within the tolerance. In one dimension no matching has
// more.
int pairs_by_greed(const Samples& reference, const Samples& detected, std::int64_t tolerance) {
  int pairs = 0;
  for (std::size_t i = 0, j = 0; i < reference.size() && j < detected.size();) {
    if (std::abs(reference[i] - detected[j]) <= tolerance)
      ++pairs, ++i, ++j;
    else if (reference[i] < detected[j])
      ++i;
    else
      ++j;
  }
  return pairs;
}

Samples random_samples(std::mt19937& random, int most, int range) {
  Samples samples(random() % static_cast<unsigned>(most + 1));
  for (auto& sample : samples) sample = random() % static_cast<unsigned>(range);
  std::sort(samples.begin(), samples.end());
  return samples;
}

Merit merit_of(const Match& match, const Samples& reference, const Samples& detected, std::int64_t tolerance) {
  Merit merit;
  std::set<std::size_t> used;
  for (std::size_t i = 0; i < match.size(); ++i)
    if (match[i]) {
      const auto distance = std::abs(reference[i] - detected.at(*match[i]));
      EXPECT_LE(distance, tolerance);
      EXPECT_TRUE(used.insert(*match[i]).second) << "a beat matched twice";
      merit = {merit.pairs + 1, merit.distance + distance};
    }
  return merit;
}

TEST(MatchBeats, IsTheBestOfAllMatchings) {
  std::mt19937 random(5);
  for (int round = 0; round < 3000; ++round) {
    SCOPED_TRACE(round);
    const auto reference = random_samples(random, 5, 30), detected = random_samples(random, 5, 30);
    const std::int64_t tolerance = random() % 8;
    const auto merit = merit_of(match_beats(reference, detected, tolerance), reference, detected, tolerance);
    const auto best = best_by_trying(reference, detected, tolerance);
    ASSERT_EQ(merit.pairs, best.pairs);
    ASSERT_EQ(merit.distance, best.distance);
    ASSERT_EQ(merit.pairs, pairs_by_greed(reference, detected, tolerance));
  }
}

TEST(MatchBeats, IsSymmetricAndComplete) {
  std::mt19937 random(6);
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(round);
    const auto reference = random_samples(random, 300, 3000), detected = random_samples(random, 300, 3000);
    const auto merit = merit_of(match_beats(reference, detected, 9), reference, detected, 9);
    const auto mirrored = merit_of(match_beats(detected, reference, 9), detected, reference, 9);
    ASSERT_EQ(merit.pairs, pairs_by_greed(reference, detected, 9));
    ASSERT_EQ(merit.pairs, mirrored.pairs);
    ASSERT_EQ(merit.distance, mirrored.distance);
    EXPECT_EQ(merit_of(match_beats(reference, reference, 9), reference, reference, 9).distance, 0);
  }
}

}  // namespace
}  // namespace beatscan
