#include "kernels/signal/parts.h"

#include <limits>

#include "kernels/runtime/buffer.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

using Floats = std::vector<float>;
using Places = std::vector<std::int64_t>;
constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

template <class Context>
class CutStrips : public OnBackend<Context> {
 protected:
  Floats strips(const Floats& values, const Places& firsts, std::int64_t size) {
    auto& context = this->context();
    Buffer<float, Context> found(context, size);
    cut_strips(context, from_host(context, values), from_host(context, firsts), found);
    return to_host(context, found);
  }
};
TYPED_TEST_SUITE(CutStrips, Backends, BackendNames);

TYPED_TEST(CutStrips, ByHand) {
  const Floats values = {1, 2, 3, 4, 5};
  EXPECT_EQ(this->strips(values, {1, 0, 1}, 9), (Floats{2, 3, 4, 1, 2, 3, 2, 3, 4}));
  EXPECT_EQ(bits_of(this->strips(values, {-1, 3, -9, 9}, 12)),
            bits_of({kNone, 1, 2, 4, 5, kNone, kNone, kNone, kNone, kNone, kNone, kNone}));
  EXPECT_TRUE(this->strips(values, {}, 0).empty());
  EXPECT_EQ(bits_of(this->strips({}, {0}, 2)), bits_of({kNone, kNone}));
}

TYPED_TEST(CutStrips, MatchesItsDefinition) {
  const auto values = random_signal(3000, 1, 3001);
  for (const std::int64_t length : sizes_around(256))
    for (const std::int64_t count : {1, 7, 60}) {
      Places firsts;
      Floats expected;
      for (std::int64_t k = 0; k < count; ++k) {
        firsts.push_back(k * 7919 % 4000 - 500);
        for (std::int64_t at = firsts.back(); at < firsts.back() + length; ++at)
          expected.push_back(0 <= at && at < 3000 ? values[at] : kNone);
      }
      ASSERT_EQ(bits_of(this->strips(values, firsts, count * length)), bits_of(expected)) << length << " " << count;
    }
}

TYPED_TEST(CutStrips, RefusesBadShapes) {
  EXPECT_THROW_KIND(this->strips({1, 2}, {0, 1}, 3), ErrorKind::internal);
  EXPECT_THROW_KIND(this->strips({1, 2}, {}, 3), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
