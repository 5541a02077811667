#include "kernels/lists/gather.h"

#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

using Places = std::vector<std::int64_t>;

template <class Context>
class GatherOf : public OnBackend<Context> {
 protected:
  template <class T>
  std::vector<T> of(const std::vector<T>& values, const Places& places) {
    auto& context = this->context();
    return to_host(context, gathered(context, from_host(context, values), from_host(context, places)));
  }
};
TYPED_TEST_SUITE(GatherOf, Backends, BackendNames);

TYPED_TEST(GatherOf, TakesWhatIsAskedForOfEveryType) {
  const Places places = {2, 0, 0, 1};
  EXPECT_EQ(this->of(std::vector<float>{5, 6, 7}, places), (std::vector<float>{7, 5, 5, 6}));
  EXPECT_EQ(this->of(std::vector<double>{5, 6, 1e300}, places), (std::vector<double>{1e300, 5, 5, 6}));
  EXPECT_EQ(this->of(std::vector<std::uint8_t>{5, 6, 7}, places), (std::vector<std::uint8_t>{7, 5, 5, 6}));
  EXPECT_EQ(this->of(Places{5, 6, 1l << 40}, places), (Places{1l << 40, 5, 5, 6}));
  EXPECT_TRUE(this->of(std::vector<float>{5}, {}).empty());
}

// A CPU thread takes 4,096 places, a Cuda block 256.
TYPED_TEST(GatherOf, SomeOfAListAreEvenlySpread) {
  auto& context = this->context();
  for (const std::int64_t size : {0, 1, 5, 257, 9000})
    for (const std::int64_t most : {0, 1, 4, 256, 8192}) {
      SCOPED_TRACE(testing::Message() << size << " of which " << most);
      Places list(size), expected;
      for (std::int64_t i = 0; i < size; ++i) list[i] = 3 * i + 1;
      for (std::int64_t i = 0; i < std::min(size, most); ++i)
        expected.push_back(3 * (i * size / std::min(size, most)) + 1);
      EXPECT_EQ(to_host(context, some_of(context, from_host(context, list), most)), expected);
    }
}

TYPED_TEST(GatherOf, NarrowKeepsNumbers) {
  auto& context = this->context();
  Buffer<std::int32_t, TypeParam> found(context, 3);
  narrow(context, from_host(context, Places{0, 7, 0x7fffffff}), found);
  EXPECT_EQ(to_host(context, found), (std::vector<std::int32_t>{0, 7, 0x7fffffff}));
}

TYPED_TEST(GatherOf, BadShapesThrow) {
  auto& context = this->context();
  auto three = from_host(context, Places{1, 2, 0});
  Buffer<std::int64_t, TypeParam> four(context, 4);
  Buffer<std::int32_t, TypeParam> two(context, 2);
  EXPECT_THROW_KIND(gather<std::int64_t>(context, three, three, four), ErrorKind::internal);
  EXPECT_THROW_KIND(evenly_spread(context, three, four), ErrorKind::internal);
  EXPECT_THROW_KIND(narrow(context, three, two), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
