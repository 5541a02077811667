#include "kernels/waves/missing.h"
#include "kernels/waves/window.h"

#include <cmath>

#include "tests/kernels/waves/made_lead.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan::waves {
namespace {

using Row = std::vector<float>;

template <class Context>
class MissingValues : public OnBackend<Context> {
 protected:
  // Returns which of P, QRS and T are left of one beat, in a lead at 250 Hz: a value is a sample.
  std::vector<bool> left(std::int64_t samples, double r, const std::vector<std::pair<std::int64_t, std::int64_t>>& gaps,
                         const Row& fiducials) {
    auto& context = this->context();
    const LeadOn<Context> lead(context, {Row(samples, 0.0F), gaps, 250});
    auto found = from_host(context, fiducials);
    leave_out_truncated(context, lead.signal(), from_host(context, std::vector<double>{r}), found);
    const Row after = to_host(context, found);
    std::vector<bool> there;
    for (int wave = 0; wave < 3; ++wave) {
      const bool is = !std::isnan(after[3 * wave]);
      there.push_back(is);
      for (int i = 0; i < 3; ++i) EXPECT_EQ(!std::isnan(after[3 * wave + i]), is);
      if (is) {
        EXPECT_EQ(after[3 * wave], fiducials[3 * wave]);
      }
    }
    return there;
  }
};
TYPED_TEST_SUITE(MissingValues, Backends, BackendNames);

const Row kBeat{-50.5F, -40, -29.5F, -10.5F, 0, 10.5F, 50.5F, 70, 90.5F};  // P from -50.5 to -29.5 and so on

TYPED_TEST(MissingValues, LeaveNoTruncatedWave) {
  using Left = std::vector<bool>;
  EXPECT_EQ(this->left(400, 200, {}, kBeat), (Left{true, true, true}));
  EXPECT_EQ(this->left(400, 51, {}, kBeat), (Left{true, true, true}));
  EXPECT_EQ(this->left(400, 50, {}, kBeat), (Left{false, true, true})) << "the value before the onset";
  EXPECT_EQ(this->left(291, 200, {}, kBeat), (Left{true, true, false}));
  EXPECT_EQ(this->left(292, 200, {}, kBeat), (Left{true, true, true}));
  EXPECT_EQ(this->left(400, 200, {{211, 230}}, kBeat), (Left{true, false, true}));
  EXPECT_EQ(this->left(400, 200, {{212, 248}}, kBeat), (Left{true, true, true})) << "between two waves";
  EXPECT_EQ(this->left(400, 200, {{211, 215}}, kBeat), (Left{true, true, true})) << "a short gap shows a wave";
}

TYPED_TEST(MissingValues, LeaveAbsentWavesAbsent) {
  EXPECT_EQ(this->left(1, 0, {}, Row(9, NAN)), (std::vector<bool>{false, false, false}));
}

TYPED_TEST(MissingValues, RefuseBadShapes) {
  auto& context = this->context();
  const LeadOn<TypeParam> lead(context, {Row(10, 0.0F), {}, 250});
  const Buffer<double, TypeParam> r(context, 1);
  Buffer<float, TypeParam> none(context, 5);
  EXPECT_THROW_KIND(leave_out_truncated(context, lead.signal(), r, none), ErrorKind::internal);
  EXPECT_THROW_KIND(clear_missing(context, lead.signal(), r, none), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan::waves
