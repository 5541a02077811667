#include "kernels/waves/cut_windows.h"

#include <algorithm>
#include <cmath>

#include "kernels/waves/amplitudes.h"
#include "tests/kernels/waves/made_lead.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan::waves {
namespace {

template <class Context>
class CutWindows : public OnBackend<Context> {
 protected:
  std::vector<float> windows(const MadeLead& lead, const std::vector<double>& r, double mv_per_unit = 1) {
    auto& context = this->context();
    const LeadOn<Context> on(context, lead);
    Buffer<double, Context> levels(context, baseline_blocks(std::ssize(lead.samples), lead.rate_hz));
    baseline(context, on.signal(), levels);
    Buffer<float, Context> found(context, std::ssize(r) * kValues);
    cut_windows(context, on.signal(mv_per_unit), levels, sampling_table(context, lead.rate_hz), from_host(context, r),
                found);
    return to_host(context, found);
  }
};
TYPED_TEST_SUITE(CutWindows, Backends, BackendNames);

// Values of 1 mV: 2e-6 mV is for the table's straight lines and for float arithmetic. Where less than all of the weight
// is present, roundings count up to twice.
TYPED_TEST(CutWindows, MatchTheirDefinition) {
  for (const double rate : {60.0, 100.0, 128.0, 250.0, 257.3, 360.0, 500.0, 1000.0, 5000.0}) {
    const auto size = static_cast<std::int64_t>(16 * rate);
    const MadeLead lead = made_lead(size, rate, 3);
    std::vector<double> r{0, 0.3, static_cast<double>(size) - 1};
    for (double at = 0.4; at < 15.5; at += 0.61803) r.push_back(at * rate);
    for (const auto& [first, last] : lead.gaps) r.push_back(static_cast<double>(first) + 0.25);
    SCOPED_TRACE(testing::Message() << rate << " Hz");
    const auto found = this->windows(lead, r);
    for (std::size_t b = 0; b < r.size(); ++b) {
      const auto expected = expected_window(lead, r[b]);
      for (int k = 0; k < kValues; ++k)
        ASSERT_NEAR(found[b * kValues + k], expected[k], 4e-6) << "r " << r[b] << " value " << k;
    }
  }
}

TYPED_TEST(CutWindows, OutsideOfTheRecordingAreZero) {
  const auto found = this->windows(made_lead(3000, 250, 1), {-1e6, -500, 1e6});
  EXPECT_EQ(std::ranges::count(found, 0.0f), std::ssize(found));
}

TYPED_TEST(CutWindows, AreInMillivolts) {
  const MadeLead lead = made_lead(3000, 250, 1);
  const auto one = this->windows(lead, {700.5}), thousand = this->windows(lead, {700.5}, 1000);
  for (int k = 0; k < kValues; ++k) EXPECT_NEAR(thousand[k], 1000 * one[k], 1e-3) << k;
}

TYPED_TEST(CutWindows, OfGapsAloneAreZero) {
  MadeLead lead{std::vector<float>(5000, 3.0f), {{0, 4999}}, 250};
  EXPECT_EQ(this->windows(lead, {2500, 10}), std::vector<float>(2 * kValues));
}

// A recording of few samples has few valid values, but defined ones.
TYPED_TEST(CutWindows, OfFewSamples) {
  for (const std::int64_t size : {1, 2, 9, 10, 11, 25}) {
    const MadeLead lead = made_lead(size, 250, 5);
    const auto found = this->windows(lead, {0, 3.5}), expected = this->windows(lead, {0, 3.5});
    for (int k = 0; k < kValues; ++k) ASSERT_NEAR(found[k], expected_window(lead, 0)[k], 4e-6) << size << " " << k;
  }
}

TYPED_TEST(CutWindows, RefuseBadShapes) {
  auto& context = this->context();
  const LeadOn<TypeParam> on(context, made_lead(1000, 250, 1));
  Buffer<double, TypeParam> levels(context, 100), short_levels(context, 99), r(context, 1);
  Buffer<float, TypeParam> windows(context, kValues), two(context, 2 * kValues);
  const auto table = sampling_table(context, 250), other = sampling_table(context, 1000);
  EXPECT_THROW_KIND(cut_windows(context, on.signal(), short_levels, table, r, windows), ErrorKind::internal);
  EXPECT_THROW_KIND(cut_windows(context, on.signal(), levels, table, r, two), ErrorKind::internal);
  EXPECT_THROW_KIND(cut_windows(context, on.signal(), levels, other, r, windows), ErrorKind::internal);
  EXPECT_THROW_KIND(sampling_table(context, 59), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan::waves
