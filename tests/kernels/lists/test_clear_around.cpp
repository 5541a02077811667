#include "kernels/lists/clear_around.h"

#include <vector>

#include "kernels/runtime/buffer.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

template <class Context>
class ClearAroundPlaces : public OnBackend<Context> {
 protected:
  std::vector<float> cleared(int count, const std::vector<std::int64_t>& places, std::int64_t reach) {
    auto& context = this->context();
    auto values = from_host(context, std::vector<float>(count, 1));
    clear_around(context, from_host(context, places), reach, values);
    return to_host(context, values);
  }
};
TYPED_TEST_SUITE(ClearAroundPlaces, Backends, BackendNames);

TYPED_TEST(ClearAroundPlaces, ByHand) {
  using Values = std::vector<float>;
  EXPECT_EQ(this->cleared(8, {3}, 1), (Values{1, 1, 0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(this->cleared(8, {3}, 0), (Values{1, 1, 1, 0, 1, 1, 1, 1}));
  EXPECT_EQ(this->cleared(8, {7, 0, 1}, 1), (Values{0, 0, 0, 1, 1, 1, 0, 0}));
  EXPECT_EQ(this->cleared(4, {-3, 9}, 2), Values(4, 1)) << "beyond both ends";
  EXPECT_EQ(this->cleared(4, {}, 2), Values(4, 1));
  EXPECT_TRUE(this->cleared(0, {0}, 2).empty());
}

TYPED_TEST(ClearAroundPlaces, ManyPlaces) {
  for (const int count : {1, 255, 256, 257, 1025}) {
    std::vector<std::int64_t> places;
    std::vector<float> expected(10 * count, 1);
    for (int i = 0; i < count; ++i) {
      places.push_back(10 * i + 4);
      for (int at = 10 * i + 2; at <= 10 * i + 6; ++at) expected[at] = 0;
    }
    EXPECT_EQ(this->cleared(10 * count, places, 2), expected) << count;
  }
}

TYPED_TEST(ClearAroundPlaces, RefuseANegativeReach) {
  EXPECT_THROW_KIND(this->cleared(4, {1}, -1), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
