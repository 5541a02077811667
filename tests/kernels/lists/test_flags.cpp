// Tests small operations on lists of flags and of indices.
#include "kernels/lists/gather.h"

#include "kernels/runtime/buffer.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

using Flags = std::vector<std::uint8_t>;
using Numbers = std::vector<std::int32_t>;

template <class Context>
class ListsOfFlags : public OnBackend<Context> {};
TYPED_TEST_SUITE(ListsOfFlags, Backends, BackendNames);

TYPED_TEST(ListsOfFlags, BothAreSet) {
  auto& context = this->context();
  Buffer<std::uint8_t, TypeParam> both(context, 4);
  both_flags(context, from_host(context, Flags{0, 0, 1, 2}), from_host(context, Flags{0, 1, 0, 1}), both);
  EXPECT_EQ(to_host(context, both), (Flags{0, 0, 0, 1}));
}

TYPED_TEST(ListsOfFlags, EqualCodesAreSet) {
  auto& context = this->context();
  Buffer<std::uint8_t, TypeParam> flags(context, 4);
  flag_equal(context, from_host(context, Flags{0, 3, 255, 3}), 3, flags);
  EXPECT_EQ(to_host(context, flags), (Flags{0, 1, 0, 1}));
  flag_equal(context, from_host(context, Flags{0, 3, 255, 3}), 0, flags);
  EXPECT_EQ(to_host(context, flags), (Flags{1, 0, 0, 0}));
  flag_equal(context, from_host(context, Flags{0, 3, 255, 3}), 7, flags);
  EXPECT_EQ(to_host(context, flags), (Flags{0, 0, 0, 0}));
  for (const int n : {0, 1, 255, 256, 257, 20'000}) {
    Flags codes, expected;
    for (int i = 0; i < n; ++i) {
      codes.push_back(static_cast<std::uint8_t>(i * 7 % 5));
      expected.push_back(i * 7 % 5 == 4);
    }
    Buffer<std::uint8_t, TypeParam> found(context, n);
    flag_equal(context, from_host(context, codes), 4, found);
    EXPECT_EQ(to_host(context, found), expected) << n;
  }
}

TYPED_TEST(ListsOfFlags, ANumberIsAddedToAll) {
  auto& context = this->context();
  for (const int n : {0, 1, 256, 257, 5000}) {
    Numbers numbers, expected;
    for (int i = 0; i < n; ++i) {
      numbers.push_back(3 * i);
      expected.push_back(3 * i - 7);
    }
    Buffer<std::int32_t, TypeParam> sums(context, n);
    add_to_all(context, from_host(context, numbers), -7, sums);
    EXPECT_EQ(to_host(context, sums), expected) << n;
  }
}

TYPED_TEST(ListsOfFlags, BadShapesThrow) {
  auto& context = this->context();
  const auto two = from_host(context, Flags{1, 1}), three = from_host(context, Flags{1, 1, 1});
  Buffer<std::uint8_t, TypeParam> both(context, 2);
  EXPECT_THROW_KIND(both_flags(context, two, three, both), ErrorKind::internal);
  EXPECT_THROW_KIND(flag_equal(context, three, 1, both), ErrorKind::internal);
  Buffer<std::int32_t, TypeParam> sums(context, 3);
  EXPECT_THROW_KIND(add_to_all(context, from_host(context, Numbers{1}), 1, sums), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
