#include "kernels/waves/beat_waves.h"

#include <algorithm>
#include <cmath>

#include "kernels/runtime/buffer.h"
#include "tests/kernels/waves/made_masks.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan::waves {
namespace {

using Row = std::vector<float>;

// Two decimals of a value are what an interpolation between hand-made values is rounded to.
void expect_row(const Row& found, const Row& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    if (std::isnan(expected[i]))
      EXPECT_TRUE(std::isnan(found[i])) << i << ": " << found[i];
    else
      EXPECT_NEAR(found[i], expected[i], 1e-4) << i;
}

template <class Context>
class BeatWaves : public OnBackend<Context> {
 protected:
  Row fiducials(const MadeMasks& masks) {
    auto& context = this->context();
    Buffer<float, Context> found(context, masks.beats() * kFiducials);
    beat_waves(context, from_host(context, masks.masks), from_host(context, masks.before),
               from_host(context, masks.after), found);
    return to_host(context, found);
  }
  Row evidence(const MadeMasks& masks, const Row& fiducials) {
    auto& context = this->context();
    Buffer<float, Context> found(context, masks.beats());
    p_evidence(context, from_host(context, masks.masks), from_host(context, masks.before),
               from_host(context, fiducials), found);
    return to_host(context, found);
  }
  Row fused(const Row& fiducials, std::int64_t beats) {
    auto& context = this->context();
    Buffer<float, Context> found(context, beats * kFiducials);
    fuse_fiducials(context, from_host(context, fiducials), found);
    return to_host(context, found);
  }
};
TYPED_TEST_SUITE(BeatWaves, Backends, BackendNames);

// Masks of 0.9 have their crossings 0.5 / 0.9 of a value within the neighbouring 0.
constexpr float kInside = 1 - 0.5f / 0.9f;

TYPED_TEST(BeatWaves, OfABeatByHand) {
  MadeMasks masks({200});
  masks.set(0, kMaskP, 70, 90, 0.9f);
  masks.set(0, kMaskQrs, 115, 135, 0.9f);
  masks.set(0, kMaskT, 180, 220, 0.9f);
  masks.set(0, kMaskT, 200, 201, 0.95f);
  expect_row(Row(this->fiducials(masks)),
             {-55 - kInside, -45.5f, -36 + kInside, -10 - kInside, 0, 9 + kInside, 55 - kInside, 75, 94 + kInside});
}

TYPED_TEST(BeatWaves, AreAbsentWhereNoMaskIsHigh) {
  const MadeMasks masks({200, 200});
  for (const float fiducial : this->fiducials(masks)) EXPECT_TRUE(std::isnan(fiducial));
  EXPECT_TRUE(this->fiducials(MadeMasks({})).empty());
}

// The gap of two values joins, that of three does not; four values are no P wave.
TYPED_TEST(BeatWaves, JoinOverSmallGaps) {
  MadeMasks masks({200, 200, 200});
  masks.set(0, kMaskP, 60, 65, 0.9f);
  masks.set(0, kMaskP, 67, 70, 0.9f);
  masks.set(1, kMaskP, 60, 65, 0.9f);
  masks.set(1, kMaskP, 68, 75, 0.9f);
  masks.set(2, kMaskP, 60, 64, 0.9f);
  const Row found = this->fiducials(masks);
  EXPECT_NEAR(found[kPOnset], 60 - kInside - kRValue, 1e-4);
  EXPECT_NEAR(found[kPOffset], 69 + kInside - kRValue, 1e-4);
  EXPECT_NEAR(found[kFiducials + kPOnset], 68 - kInside - kRValue, 1e-4) << "the heavier of two";
  EXPECT_TRUE(std::isnan(found[2 * kFiducials + kPOnset]));
}

// The T wave of the previous beat reaches into the window: P begins after it.
TYPED_TEST(BeatWaves, BeginAfterTheTWaveBefore) {
  MadeMasks masks({100, 100, 100});
  for (int b = 0; b < 3; ++b) {
    masks.set(b, kMaskT, 160, 200, 0.9f);
    masks.set(b, kMaskP, 80, 115, 0.9f);
  }
  const float t_offset = 199 + kInside - 100;
  const Row found = this->fiducials(masks);
  for (int b = 1; b < 3; ++b) {
    EXPECT_NEAR(found[(b - 1) * kFiducials + kTOffset] + 125 - 100, t_offset, 1e-4);
    EXPECT_EQ(found[b * kFiducials + kPOnset], std::floor(t_offset) + 1 - kRValue) << "the value before is high, too";
  }
}

TYPED_TEST(BeatWaves, MatchTheirDefinition) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const MadeMasks masks = MadeMasks::random(400, seed);
    const Row found = this->fiducials(masks), expected = masks.expected_fiducials();
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (i % kFiducials == kTPeak) continue;  // of equal values it may be any
      SCOPED_TRACE(testing::Message() << "beat " << i / kFiducials << " fiducial " << i % kFiducials);
      if (std::isnan(expected[i]))
        ASSERT_TRUE(std::isnan(found[i])) << found[i];
      else
        ASSERT_NEAR(found[i], expected[i], 1e-4);
    }
    const Row evidence = this->evidence(masks, found), expected_evidence = masks.expected_evidence(expected);
    for (int b = 0; b < 400; ++b) ASSERT_NEAR(evidence[b], expected_evidence[b], 1e-6) << b;
  }
}

// Onsets of leads 0, 1, 2 ...: up to five, the median; from six on, 15 %.
TYPED_TEST(BeatWaves, AreFusedOverLeads) {
  for (const int leads : {1, 2, 3, 5, 6, 12}) {
    Row fiducials;
    for (int l = 0; l < leads; ++l)
      for (int i = 0; i < 2 * kFiducials; ++i) fiducials.push_back(static_cast<float>((l * 7) % leads + i));
    const Row found = this->fused(fiducials, 2);
    const float middle = static_cast<float>(leads - 1) / 2;
    for (int i = 0; i < 2 * kFiducials; ++i) {
      const double share = leads < 6 || i % 3 == 1 ? 0.5 : i % 3 == 0 ? 0.15 : 0.85;
      EXPECT_NEAR(found[i], share == 0.5 ? middle + i : share * (leads - 1) + i, 1e-5) << leads << " leads, " << i;
    }
  }
}

TYPED_TEST(BeatWaves, NeedAThirdOfTheLeads) {
  for (const int leads : {1, 2, 3, 4, 6, 7, 12})
    for (int with = 0; with <= leads; ++with) {
      Row fiducials(leads * kFiducials, NAN);
      for (int l = 0; l < with; ++l) std::fill_n(fiducials.begin() + (leads - 1 - l) * kFiducials + kQrsOnset, 3, 1.0f);
      const bool expected = with > 0 && 3 * with >= leads;
      EXPECT_EQ(!std::isnan(this->fused(fiducials, 1)[kQrsOnset]), expected) << with << " of " << leads;
    }
}

TYPED_TEST(BeatWaves, HaveTheGreatestEvidenceOfTheLeads) {
  auto& context = this->context();
  Buffer<float, TypeParam> found(context, 2);
  fuse_evidence(context, from_host(context, Row{0.1f, 0.9f, 0.5f, 0.2f, 0.3f, 0.7f}), found);
  EXPECT_EQ(to_host(context, found), (Row{0.5f, 0.9f}));
}

// T peaks are medians over the leads that have one; of ST levels the farthest from 0 counts, of three leads and more
// that which two of one sign reach.
TYPED_TEST(BeatWaves, HaveTPeakAndStLevelOverLeads) {
  auto& context = this->context();
  const auto lead = [](float first_st, float first_place, float second_st, float second_place) {
    return Row{0, first_st, 0, first_place, 0, second_st, 0, second_place};
  };
  Row amplitudes;
  for (const Row& row : {lead(0.1f, 60, 0.3f, NAN), lead(-0.2f, 70, -0.4f, 75), lead(0.2f, 64, NAN, 80)})
    amplitudes.insert(amplitudes.end(), row.begin(), row.end());
  Buffer<float, TypeParam> st(context, 2), fused = from_host(context, Row(2 * kFiducials, 1.0f));
  fuse_amplitudes(context, from_host(context, amplitudes), fused, st);
  expect_row(to_host(context, st), {0.1f, -0.4f});
  expect_row(to_host(context, fused), {1, 1, 1, 1, 1, 1, 1, 64, 1, 1, 1, 1, 1, 1, 1, 1, 77.5f, 1});
  fuse_amplitudes(context, from_host(context, Row(kAmplitudes, NAN)), fused.span().first(kFiducials),
                  st.span().first(1));
  EXPECT_EQ(to_host(context, fused)[kTPeak], 64) << "that of the mask stays";
}

TYPED_TEST(BeatWaves, RefuseBadShapes) {
  auto& context = this->context();
  Buffer<float, TypeParam> masks(context, kMasks * kValues), fiducials(context, kFiducials), none(context, 5);
  Buffer<double, TypeParam> rr(context, 1);
  EXPECT_THROW_KIND(beat_waves(context, masks, rr, rr, none), ErrorKind::internal);
  EXPECT_THROW_KIND(beat_waves(context, none, rr, rr, fiducials), ErrorKind::internal);
  EXPECT_THROW_KIND(p_evidence(context, masks, rr, fiducials, none), ErrorKind::internal);
  EXPECT_THROW_KIND(fuse_fiducials(context, fiducials, none), ErrorKind::internal);
  EXPECT_THROW_KIND(fuse_evidence(context, none, fiducials), ErrorKind::internal);
  EXPECT_THROW_KIND(fuse_amplitudes(context, none, fiducials, none), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan::waves
