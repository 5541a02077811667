#include "stages/classify/templates.h"

#include <gtest/gtest.h>

#include "kernels/runtime/error.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

using Shorts = std::vector<std::int16_t>;
using Words = std::vector<std::uint32_t>;

// Shapes of two values, of which the first distinguishes them.
const Shorts kSample{10, 1, 12, 1, 50, 1, 11, 1, 52, 1, 90, 1};

// Shapes 0, 1 and 3 are near each other, and shapes 2 and 4; nothing is near shape 5.
const Words kNear{0b001011, 0b001011, 0b010100, 0b001011, 0b010100, 0b100000};

TEST(Clusters, ByHand) {
  const auto found = clusters_of_neighbours(kSample, 2, kNear, 39);
  ASSERT_EQ(found.size(), 2U) << "a shape alone is no cluster";
  EXPECT_EQ(found[0].count, 3);
  EXPECT_EQ(found[0].sums, (std::vector<std::int64_t>{33, 3}));
  EXPECT_EQ(centres_of(found), (Shorts{11, 1, 51, 1}));
  EXPECT_EQ(clusters_of_neighbours(kSample, 2, kNear, 1).size(), 1U);
}

// Shape 1 has as many neighbours as shape 2, and comes first. It takes shape 2 with it.
TEST(Clusters, OfEqualCountsTheFirstIsTaken) {
  const auto found =
      clusters_of_neighbours(Shorts{0, 0, 10, 0, 20, 0, 40, 0}, 2, Words{0b0011, 0b0111, 0b1110, 0b1100}, 39);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].centre, (Shorts{10, 0}));
}

TEST(Clusters, ThereIsOneAtLeast) {
  const auto found = clusters_of_neighbours(Shorts{7, 8, 20, 9}, 2, Words{1, 2}, 39);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].centre, (Shorts{7, 8}));
}

TEST(Clusters, MeansAreRoundedAwayFromZero) {
  EXPECT_EQ(cluster_of(std::vector<std::int64_t>{3, -3, 5, -5, 0, 4}, 2).centre, (Shorts{2, -2, 3, -3, 0, 2}));
  EXPECT_THROW_KIND(cluster_of(std::vector<std::int64_t>{3}, 0), ErrorKind::internal);
}

// The two nearest are joined by their weights; the third is too far away.
TEST(Clusters, NearOnesAreJoined) {
  std::vector<Cluster> clusters{cluster_of(std::vector<std::int64_t>{1000, 0}, 10),
                                cluster_of(std::vector<std::int64_t>{0, 100}, 1),
                                cluster_of(std::vector<std::int64_t>{110 * 30, 0}, 30)};
  merge_near(clusters, 0.1, 1);
  ASSERT_EQ(clusters.size(), 2U);
  EXPECT_EQ(clusters[0].count, 40);
  EXPECT_EQ(centres_of(clusters), (Shorts{108, 0, 0, 100})) << "107.5 is rounded";
  merge_near(clusters, 4, 1);
  EXPECT_EQ(clusters.size(), 1U);
}

// A centre without members has no weight.
TEST(Clusters, AGivenCentreIsJoined) {
  std::vector<Cluster> clusters{{{0, 0}, 0, {100, 0}}, cluster_of(std::vector<std::int64_t>{101, 1}, 1)};
  merge_near(clusters, 0.1, 1);
  ASSERT_EQ(clusters.size(), 1U);
  EXPECT_EQ(clusters[0].centre, (Shorts{101, 1}));
}

TEST(Clusters, DistancesByHand) {
  const auto found = distances_between(Shorts{3, 0, 0, 4}, 2, 0);
  EXPECT_EQ(found, (std::vector<std::vector<float>>{{0, 25.0f / 12}, {25.0f / 12, 0}}));
}

TEST(Clusters, BadShapesThrow) {
  EXPECT_THROW_KIND(clusters_of_neighbours({}, 2, {}, 39), ErrorKind::internal);
  EXPECT_THROW_KIND(clusters_of_neighbours(kSample, 2, Words(5), 39), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
