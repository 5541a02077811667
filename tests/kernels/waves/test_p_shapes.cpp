#include "kernels/waves/non_conducted.h"

#include <cmath>

#include "kernels/runtime/buffer.h"
#include "kernels/templates/shape_distances.h"
#include "kernels/waves/amplitudes.h"
#include "kernels/waves/beat_waves.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan::waves {
namespace {

using Row = std::vector<float>;

// A window with a P wave from value 60 to 90: a half sine of this height, or two of half the length that alternate.
Row window_with_p(double height, bool biphasic = false) {
  Row window(kValues);
  for (int k = 60; k <= 90; ++k)
    window[k] = static_cast<float>(height * std::sin((biphasic ? 2 : 1) * 3.14159265358979 * (k - 60) / 30));
  return window;
}

Row fiducials_of(double onset, double offset) {
  Row row(kFiducials, NAN);
  row[kPOnset] = static_cast<float>(onset - kRValue);
  row[kPOffset] = static_cast<float>(offset - kRValue);
  return row;
}

Row joined(const std::vector<Row>& rows) {
  Row all;
  for (const Row& row : rows) all.insert(all.end(), row.begin(), row.end());
  return all;
}

template <class Context>
class PShapes : public OnBackend<Context> {
 protected:
  Row similarities(const std::vector<std::vector<Row>>& windows_of_leads, const Row& fused) {
    auto& context = this->context();
    const std::int64_t leads = std::ssize(windows_of_leads), beats = std::ssize(windows_of_leads[0]);
    Buffer<float, Context> shapes(context, beats * leads * kShapeValues), found(context, beats);
    for (std::int64_t l = 0; l < leads; ++l)
      p_shapes(context, from_host(context, joined(windows_of_leads[l])), from_host(context, fused), l, shapes);
    Buffer<std::uint8_t, Context> groups(context, beats);
    unit_shapes(context, shapes, groups);
    Buffer<std::int64_t, Context> sums(context, leads * kShapeValues), counts(context, 1);
    group_sums<float>(context, shapes.span(), groups.span(), sums, counts);
    p_similarity(context, shapes, groups, sums, found);
    return to_host(context, found);
  }
  // `qrs` marks the beats in which the lead shows a QRS complex; empty: all.
  Row activity(const Row& windows, const std::vector<double>& before, const Row& fused, std::vector<bool> qrs = {}) {
    auto& context = this->context();
    Buffer<float, Context> found(context, std::ssize(before));
    Row own(fused.size(), NAN);
    for (std::size_t b = 0; b < before.size(); ++b)
      if (qrs.empty() || qrs[b]) own[b * kFiducials + kQrsOnset] = 0;
    tq_activity(context, from_host(context, windows), from_host(context, before), from_host(context, own),
                from_host(context, fused), found);
    return to_host(context, found);
  }
};
TYPED_TEST_SUITE(PShapes, Backends, BackendNames);

// Amplitudes do not count; an inverted wave has the similarity -1; a dissimilar one has about 0.
TYPED_TEST(PShapes, OfLikeWavesAreSimilar) {
  const Row p = fiducials_of(60, 90), none(kFiducials, NAN);
  const std::vector<Row> windows{window_with_p(0.1),  window_with_p(0.3),       window_with_p(0.2), window_with_p(0.15),
                                 window_with_p(-0.1), window_with_p(0.2, true), window_with_p(0.1), Row(kValues)};
  for (const bool two_leads : {false, true}) {
    const std::vector<std::vector<Row>> leads(two_leads ? 2 : 1, windows);
    const auto found = this->similarities(leads, joined({p, p, p, p, p, p, none, p}));
    for (const int beat : {0, 1, 2, 3}) EXPECT_NEAR(found[beat], found[0], 1e-5) << beat;
    EXPECT_GT(found[0], 0.9);
    EXPECT_NEAR(found[4], -found[0], 1e-5);
    EXPECT_LT(std::abs(found[5]), 0.5);
    EXPECT_TRUE(std::isnan(found[6])) << "no P wave";
    EXPECT_TRUE(std::isnan(found[7])) << "a level one";
  }
}

TYPED_TEST(PShapes, ReachToTheEndsOfTheWindow) {
  Row window(kValues);
  for (int k = 0; k < kValues; ++k) window[k] = static_cast<float>(k % 17);
  const auto found = this->similarities(
      {{window, window, window, window}},
      joined({fiducials_of(0, 319), fiducials_of(-0.5, 20), fiducials_of(300, 319.5), fiducials_of(50, 50)}));
  EXPECT_NEAR(found[0], 1, 1e-6);
  for (const int beat : {1, 2, 3}) EXPECT_TRUE(std::isnan(found[beat])) << beat;
}

// A line has no activity; a sine of 1 mV on a line has one of 0.7 mV.
TYPED_TEST(PShapes, TqActivityIsWhatALineLeaves) {
  Row window(kValues), waves(kValues);
  for (int k = 0; k < kValues; ++k) {
    window[k] = static_cast<float>(0.5 + 0.01 * k);
    waves[k] = window[k] + static_cast<float>(std::sin(2 * 3.14159265358979 * k / 20));
  }
  Row first(kFiducials, NAN), second = first, third = first;
  first[kTOffset] = 75.5f;     // at 0.5 of the second window: it begins with value 1
  second[kQrsOnset] = -24.0f;  // 101: 100 values
  third[kQrsOnset] = -10;
  third[kPOnset] = -45.2f;  // 79.8: up to 79; from 80 values after R on: 5
  const auto found = this->activity(joined({window, waves, waves}), {kFar, 200, 200}, joined({first, second, third}));
  EXPECT_NEAR(found[0], 0, 1e-6);
  EXPECT_NEAR(found[1], std::sqrt(0.5), 0.01);
  EXPECT_NEAR(found[2], std::sqrt(0.5), 0.05);
}

TYPED_TEST(PShapes, TqActivityNeedsALeadThatShowsTheBeat) {
  const auto found = this->activity(Row(2 * kValues), {kFar, 200}, Row(2 * kFiducials, NAN), {true, false});
  EXPECT_EQ(found[0], 0);
  EXPECT_TRUE(std::isnan(found[1]));
}

TYPED_TEST(PShapes, TqActivityNeedsEightValues) {
  Row first(kFiducials, NAN), second = first;
  first[kTOffset] = 70;
  second[kQrsOnset] = 70 + 1 - 200 + 7;
  const Row windows(2 * kValues);
  EXPECT_TRUE(std::isnan(this->activity(windows, {kFar, 200}, joined({first, second}))[1]));
  second[kQrsOnset] += 30;
  EXPECT_EQ(this->activity(windows, {kFar, 200}, joined({first, second}))[1], 0);
}

TYPED_TEST(PShapes, RefuseBadShapes) {
  EXPECT_THROW_KIND(this->activity(Row(kValues - 1), {200}, Row(kFiducials)), ErrorKind::internal);
  EXPECT_THROW_KIND(this->similarities({{Row(kValues)}}, Row(kFiducials - 1)), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan::waves
