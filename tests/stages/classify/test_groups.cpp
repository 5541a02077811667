#include "stages/classify/findings.h"

#include <gtest/gtest.h>

#include "kernels/runtime/error.h"
#include "stages/classify/beat_findings.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Kinds = std::vector<BeatClass>;

constexpr BeatClass kN = BeatClass::normal, kS = BeatClass::supraventricular, kV = BeatClass::ventricular;

// Three templates; the third is nearest to the second.
const std::vector<std::vector<float>> kApart{{0, 1, 1.5f}, {1, 0, 0.5f}, {1.5f, 0.5f, 0}};

struct Beats {
  Bytes template_of;
  Kinds beat_classes;
  void add(int count, std::uint8_t shape, BeatClass beat_class) {
    template_of.insert(template_of.end(), count, shape);
    beat_classes.insert(beat_classes.end(), count, beat_class);
  }
};

TEST(BeatGroups, ByHand) {
  Beats beats;
  beats.add(10, 0, kN);  // stays
  beats.add(1, 0, kS);   // stays, as the only group of its beat class
  beats.add(4, 1, kN);   // stays
  beats.add(2, 2, kN);   // goes to the second template
  beats.add(5, 1, kV);   // stays
  beats.add(2, 0, kV);   // goes to the second template
  const auto found = groups_of(beats.template_of, beats.beat_classes, kApart, {});
  ASSERT_EQ(found.groups.size(), 4U);
  const std::int64_t shapes[] = {0, 1, 1, 0}, counts[] = {10, 7, 6, 1};
  const BeatClass beat_classes[] = {kN, kV, kN, kS};
  for (int g = 0; g < 4; ++g) {
    EXPECT_EQ(found.groups[g].shape, shapes[g]) << g;
    EXPECT_EQ(found.groups[g].beat_class, beat_classes[g]) << g;
    EXPECT_EQ(found.groups[g].beats, counts[g]) << g;
  }
  for (std::size_t b = 0; b < beats.beat_classes.size(); ++b)
    EXPECT_EQ(found.groups[found.group_of[b]].beat_class, beats.beat_classes[b]) << "every beat keeps its class";
  EXPECT_EQ(found.group_of[15], 2);
}

TEST(BeatGroups, AreNotTooMany) {
  std::vector<std::vector<float>> apart(30, std::vector<float>(30, 1));
  Beats beats;
  for (std::uint8_t k = 0; k < 30; ++k)
    for (const BeatClass beat_class : {kN, kS, kV}) beats.add(5 + k, k, beat_class);
  const auto found = groups_of(beats.template_of, beats.beat_classes, apart, {.most = 12});
  EXPECT_EQ(found.groups.size(), 12U);
  std::int64_t sum = 0;
  for (const auto& group : found.groups) sum += group.beats;
  EXPECT_EQ(sum, std::ssize(beats.beat_classes));
}

TEST(BeatGroups, AShareOfTheBeatsIsNeeded) {
  Beats beats;
  beats.add(990, 0, kN);
  beats.add(10, 1, kN);
  EXPECT_EQ(groups_of(beats.template_of, beats.beat_classes, kApart, {.least_share = 0.01}).groups.size(), 2U);
  EXPECT_EQ(groups_of(beats.template_of, beats.beat_classes, kApart, {.least_share = 0.011}).groups.size(), 1U);
}

TEST(BeatGroups, OfNoBeats) { EXPECT_TRUE(groups_of({}, {}, {}, {}).groups.empty()); }

TEST(BeatGroups, BadShapesThrow) {
  EXPECT_THROW_KIND(groups_of(Bytes(1), Kinds(), kApart, {}), ErrorKind::internal);
  EXPECT_THROW_KIND(groups_of({}, {}, kApart, {.most = 4}), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
