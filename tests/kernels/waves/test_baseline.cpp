#include "kernels/waves/amplitudes.h"

#include <cmath>
#include <numbers>

#include "tests/kernels/waves/made_lead.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan::waves {
namespace {

template <class Context>
class WaveBaseline : public OnBackend<Context> {
 protected:
  std::vector<double> levels(const MadeLead& lead) {
    auto& context = this->context();
    const LeadOn<Context> on(context, lead);
    Buffer<double, Context> found(context, baseline_blocks(std::ssize(lead.samples), lead.rate_hz));
    baseline(context, on.signal(), found);
    return to_host(context, found);
  }
};
TYPED_TEST_SUITE(WaveBaseline, Backends, BackendNames);

// Without noise, a constant is its own baseline, to the last bits of sums.
TYPED_TEST(WaveBaseline, OfAConstantIsTheConstant) {
  for (const double level : this->levels({std::vector<float>(3000, 0.75f), {}, 250})) EXPECT_NEAR(level, 0.75, 1e-12);
}

// 1e-12 is for the order of sums: a recursion computes them.
TYPED_TEST(WaveBaseline, MatchesItsDefinition) {
  for (const double rate : {60.0, 128.0, 250.0, 360.0, 1000.0, 5000.0})
    for (const std::int64_t size : {1, 2, 13, 14, 15, 1000, 40007}) {
      const MadeLead lead = made_lead(size, rate, 7);
      SCOPED_TRACE(testing::Message() << rate << " Hz, " << size << " samples");
      const auto found = this->levels(lead), expected = expected_levels(lead);
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-12) << i;
    }
}

// A block with no sample within 46 blocks has the level 0, also after samples of a large value.
TYPED_TEST(WaveBaseline, IsZeroFarWithinAGap) {
  const MadeLead lead{std::vector<float>(5000, 1000.0f), {{1000, 3999}}, 250};
  const auto found = this->levels(lead);
  EXPECT_NEAR(found[50], 1000, 1e-9);
  EXPECT_NEAR(found[120], 1000, 1e-9) << "20 blocks within the gap";
  EXPECT_EQ(found[250], 0);
  EXPECT_NEAR(found[450], 1000, 1e-9);
}

TYPED_TEST(WaveBaseline, RefusesBadShapes) {
  auto& context = this->context();
  const LeadOn<TypeParam> on(context, {std::vector<float>(100), {}, 250}), slow(context, {{1, 2}, {}, 59});
  Buffer<double, TypeParam> levels(context, 9);
  EXPECT_THROW_KIND(baseline(context, on.signal(), levels), ErrorKind::internal);
  EXPECT_THROW_KIND(baseline(context, slow.signal(), levels), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan::waves
