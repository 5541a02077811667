#include "kernels/rhythm/restless.h"

#include <algorithm>

#include "kernels/runtime/buffer.h"
#include "kernels/runtime/error.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

template <class Context>
class Restless : public OnBackend<Context> {
 protected:
  std::vector<RestlessParts> of(const std::vector<float>& parts, int width, std::int64_t block, std::int64_t blocks,
                                RestHeights heights = {0.5f, 0.25f}) {
    auto& context = this->context();
    Buffer<RestlessParts, Context> found(context, blocks);
    restless_parts(context, from_host(context, parts), width, block, heights, found);
    return to_host(context, found);
  }
};
TYPED_TEST_SUITE(Restless, Backends, BackendNames);

// Blocks of 4 samples, parts of 2: window 0 has the samples up to 5, window 1 those from 2 to 9.
TYPED_TEST(Restless, ByHand) {
  const auto found = this->of({1, 8, 3, 4, 2, 16}, 2, 4, 3);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].parts, 3) << "the recording begins with the block";
  EXPECT_EQ(found[0].sure, 1) << "of 8 alone: 4 itself would not be above half of it, and 3 is not";
  EXPECT_EQ(found[0].more, 2);
  EXPECT_EQ(found[1].parts, 4);
  EXPECT_EQ(found[1].sure, 1);
  EXPECT_EQ(found[1].more, 3) << "2 is a quarter of 8 and not above it";
  EXPECT_EQ(found[2].parts, 3);
  EXPECT_EQ(found[2].sure, 1);
  EXPECT_EQ(found[2].more, 1);
}

TYPED_TEST(Restless, MatchesItsDefinition) {
  for (const std::int64_t blocks : sizes_around(256)) {
    const int width = 3, block = 7;
    auto parts = random_signal((blocks * block + width - 1) / width, blocks, 9);
    for (float& part : parts) part += 2;
    const auto found = this->of(parts, width, block, blocks);
    for (std::int64_t b = 0; b < blocks; ++b) {
      RestlessParts expected{};
      float largest = 0;
      const auto is_in = [&](std::int64_t p) {
        return (p + 1) * width > b * block - block / 2 && p * width < (b + 1) * block + block / 2;
      };
      for (std::int64_t p = 0; p < std::ssize(parts); ++p)
        if (is_in(p)) largest = std::max(largest, parts[p]);
      for (std::int64_t p = 0; p < std::ssize(parts); ++p)
        if (is_in(p)) {
          ++expected.parts;
          expected.sure += parts[p] > 0.5f * largest;
          expected.more += parts[p] > 0.25f * largest;
        }
      ASSERT_EQ(found[b].parts, expected.parts) << shape_and_seed("blocks", blocks, blocks) << " b=" << b;
      ASSERT_EQ(found[b].sure, expected.sure) << b;
      ASSERT_EQ(found[b].more, expected.more) << b;
    }
  }
}

TYPED_TEST(Restless, ARestOfZerosIsNotRestlessAndABadShapeThrows) {
  EXPECT_EQ(this->of({0, 0, 0}, 2, 4, 1)[0].more, 0);
  EXPECT_TRUE(this->of({}, 2, 4, 0).empty());
  EXPECT_THROW_KIND(this->of({1, 2, 3}, 2, 4, 3), ErrorKind::internal);
  EXPECT_THROW_KIND(this->of({1, 2, 3}, 0, 4, 1), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
