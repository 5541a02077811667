#include "kernels/waves/non_conducted.h"

#include <cmath>

#include "tests/kernels/waves/made_masks.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan::waves {
namespace {

using Row = std::vector<float>;
using Windows = std::vector<std::int64_t>;

// The first values of an interval's extra windows, as docs/waves.md has them.
std::vector<int> starts_of(double rr) {
  std::vector<int> starts;
  int reached = 195;
  while (rr < kFar && reached < rr - 125 && starts.size() < 12) {
    starts.push_back(70 + 160 * static_cast<int>(starts.size()));
    reached = starts.back() + 280;
  }
  return starts;
}

// Stitches one mask of an interval together.
std::vector<double> stitched(double rr, const float* before, const float* after, const Row& extra, int which) {
  const int length = static_cast<int>(std::floor(rr)) + 1, behind = static_cast<int>(std::floor(125 - rr + 0.5));
  std::vector<double> total(length), count(length);
  for (int j = 0; j < length; ++j) {
    if (j < 195) total[j] += before[125 + j], ++count[j];
    if (behind + j >= 0) total[j] += after[behind + j], ++count[j];
  }
  const auto by_beats = count;
  const auto starts = starts_of(rr);
  for (std::size_t w = 0; w < starts.size(); ++w)
    for (int k = 40; k < 280; ++k) {
      const int j = starts[w] + k;
      if (j >= length || by_beats[j] > 0) continue;
      total[j] += extra[(w * kMasks + which) * kValues + k];
      ++count[j];
    }
  for (int j = 0; j < length; ++j) total[j] /= std::max(count[j], 1.0);
  return total;
}

template <class Context>
class NonConducted : public OnBackend<Context> {
 protected:
  Windows extra(const std::vector<double>& after) {
    auto& context = this->context();
    return to_host(context, extra_windows(context, from_host(context, after)));
  }
  std::vector<NonConductedWave> waves(const std::vector<double>& after, const Row& masks, const Windows& extra,
                                      const Row& extra_masks) {
    auto& context = this->context();
    return to_host(context, non_conducted_waves(context, from_host(context, after), from_host(context, masks),
                                                from_host(context, extra), from_host(context, extra_masks)));
  }
};
TYPED_TEST_SUITE(NonConducted, Backends, BackendNames);

TYPED_TEST(NonConducted, ExtraWindowsCoverLongIntervals) {
  const std::vector<double> after{200, 320, 320.5, 475, 475.5, 5000, kFar};
  Windows expected;
  for (std::size_t b = 0; b < after.size(); ++b)
    for (std::size_t w = 0; w < starts_of(after[b]).size(); ++w)
      expected.push_back(static_cast<std::int64_t>(b * kMostExtraWindows + w));
  EXPECT_EQ(this->extra(after), expected);
  EXPECT_EQ(std::ssize(expected), 1 + 1 + 2 + 12);
  EXPECT_TRUE(this->extra({}).empty());
}

TYPED_TEST(NonConducted, ExtraWindowsHaveThePlacesAndMarksOfTheBeatBefore) {
  auto& context = this->context();
  const auto extra = from_host(context, Windows{12, 13});
  const auto r = from_host(context, std::vector<double>{100, 500, 2000});
  const auto before = from_host(context, std::vector<double>{kFar, 100, 375});
  const auto after = from_host(context, std::vector<double>{100, 375, kFar});
  Buffer<double, TypeParam> places(context, 2);
  Buffer<Marks, TypeParam> marks(context, 2);
  place_extra_windows(context, extra, r, 1000, before, after, places, marks);
  EXPECT_EQ(to_host(context, places), (std::vector<double>{500 + 4 * 195, 500 + 4 * 355}));
  const auto found = to_host(context, marks);
  EXPECT_EQ(found[1].before, -100 - 230);
  EXPECT_EQ(found[1].at, -230);
  EXPECT_EQ(found[1].after, 375 - 230);
  Buffer<float, TypeParam> heights(context, 2);
  extra_heights(context, extra, from_host(context, Row{3, 4}), heights);
  EXPECT_EQ(to_host(context, heights), (Row{4, 4}));
}

TYPED_TEST(NonConducted, MasksAreMeansOverLeads) {
  auto& context = this->context();
  Buffer<float, TypeParam> mean(context, 2);
  add_masks(context, from_host(context, Row{1, 2}), 0.25f, true, mean);
  add_masks(context, from_host(context, Row{4, 8}), 0.25f, false, mean);
  EXPECT_EQ(to_host(context, mean), (Row{1.25f, 2.5f}));
}

TYPED_TEST(NonConducted, AreFoundByHand) {
  MadeMasks masks({300, 300});
  masks.set(0, kMaskP, 125 + 100, 125 + 120, 0.7f);              // 100 values after the first R, in its window alone
  masks.set(1, kMaskP, 125 - 300 + 190, 125 - 300 + 202, 1.0f);  // reaches from the mean with the window before
  const auto found = this->waves(masks.after, masks.masks, {}, {});
  ASSERT_EQ(found.size(), 2);
  EXPECT_EQ(found[0].beat, 0);
  EXPECT_NEAR(found[0].onset, 99.5, 1e-5);
  EXPECT_NEAR(found[0].offset, 119.5, 1e-5);
  EXPECT_NEAR(found[1].onset, 189.7, 1e-5) << "0.5 in the mean";
  EXPECT_NEAR(found[1].offset, 201.65, 1e-5);
  for (const auto& [which, value] : {std::pair(kMaskQrs, 0.5f), {kMaskT, 0.5f}}) {
    MadeMasks others = masks;
    others.set(0, which, 225, 245, value);
    EXPECT_EQ(this->waves(masks.after, others.masks, {}, {}).size(), 1) << which;
  }
  masks.set(0, kMaskT, 225, 234, 1.0f);
  EXPECT_EQ(this->waves(masks.after, masks.masks, {}, {}).size(), 2) << "a T mask below 0.5 in the mean";
}

TYPED_TEST(NonConducted, MatchTheirDefinition) {
  for (const std::uint64_t seed : {1, 2}) {
    const MadeMasks masks = MadeMasks::random(600, seed);
    const std::int64_t beats = masks.beats();
    const Windows extra = this->extra(masks.after);
    const Row extra_masks = MadeMasks::random(static_cast<int>(extra.size()), seed + 10).masks;
    const auto found = this->waves(masks.after, masks.masks, extra, extra_masks);
    std::vector<NonConductedWave> expected;
    for (std::int64_t b = 0, window = 0; b < beats - 1; ++b) {
      const double rr = masks.after[b];
      const auto count = std::ssize(starts_of(rr));
      constexpr int kSize = kMasks * kValues;
      const Row own(extra_masks.begin() + window * kSize, extra_masks.begin() + (window + count) * kSize);
      window += count;
      std::vector<double> p[kMasks];
      for (int which = 0; which < kMasks; ++which)
        p[which] = stitched(rr, masks.mask(b, which), masks.mask(b + 1, which), own, which);
      for (const PlainRun& run : plain_runs(p[0], 30, static_cast<int>(std::floor(rr)) - 95, 0.35, 2, 5)) {
        double qrs = 0, t = 0;
        for (int j = run.first; j <= run.last; ++j) {
          qrs = std::max(qrs, p[1][j]);
          t += p[2][j] / (run.last - run.first + 1);
        }
        const auto [onset, offset] = plain_crossings(p[0], run, 0.35);
        if (qrs < 0.5 && t < 0.5) expected.push_back({b, static_cast<float>(onset), static_cast<float>(offset)});
      }
    }
    ASSERT_EQ(found.size(), expected.size());
    EXPECT_GT(found.size(), 50);
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_EQ(found[i].beat, expected[i].beat);
      ASSERT_NEAR(found[i].onset, expected[i].onset, 1e-3);
      ASSERT_NEAR(found[i].offset, expected[i].offset, 1e-3);
    }
  }
}

TYPED_TEST(NonConducted, OfOneBeatAreNone) {
  EXPECT_TRUE(this->waves({kFar}, Row(kMasks * kValues), {}, {}).empty());
  EXPECT_THROW_KIND(this->waves({200, kFar}, Row(kMasks * kValues), {}, {}), ErrorKind::internal);
  EXPECT_THROW_KIND(this->waves({kFar}, Row(kMasks * kValues), {1}, {}), ErrorKind::internal);
  EXPECT_THROW_KIND(this->waves({}, {}, {}, {}), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan::waves
