#include "kernels/windows/mean_row.h"

#include "kernels/runtime/buffer.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"
#include "tests/support/expected_quantile.h"

namespace beatscan {
namespace {

using Floats = std::vector<float>;

template <class Context>
class MedianRow : public OnBackend<Context> {
 protected:
  Floats median(const Floats& rows, std::int64_t points) {
    auto& context = this->context();
    Buffer<float, Context> found(context, points);
    median_row(context, from_host(context, rows), found);
    return to_host(context, found);
  }
  std::vector<double> squares(const Floats& rows, std::int64_t count) {
    auto& context = this->context();
    Buffer<double, Context> found(context, count);
    mean_squares(context, from_host(context, rows), found);
    return to_host(context, found);
  }
};
TYPED_TEST_SUITE(MedianRow, Backends, BackendNames);

TYPED_TEST(MedianRow, ByHand) {
  EXPECT_EQ(this->median({1, -5, 3, -7, 8, -6}, 2), (Floats{3, -6}));
  EXPECT_EQ(this->median({1, -5, 3, -7}, 2), (Floats{2, -6}));
  EXPECT_EQ(this->median({1, 2, 3}, 3), (Floats{1, 2, 3}));
  EXPECT_EQ(this->squares({1, 3, -2, 0}, 2), (std::vector<double>{5, 2}));
}

TYPED_TEST(MedianRow, MatchesItsDefinition) {
  for (const int count : {1, 2, 31, 32, 33, 511, 512})
    for (const int points : {1, 7, 256}) {
      const std::uint64_t seed = count * 1000 + points;
      SCOPED_TRACE(testing::Message() << shape_and_seed("rows", count, seed) << " points=" << points);
      const auto rows = random_signal(count * points, seed, count % 2 ? 7 : 100'000);
      const auto found = this->median(rows, points);
      for (int j = 0; j < points; ++j) {
        std::vector<double> column;
        for (int i = 0; i < count; ++i) column.push_back(rows[i * points + j]);
        ASSERT_EQ(found[j], static_cast<float>(expected_quantile(column, 0.5))) << j;
      }
      const auto squares = this->squares(rows, count);
      for (int i = 0; i < count; ++i) {
        double sum = 0;
        for (int j = 0; j < points; ++j) sum += static_cast<double>(rows[i * points + j]) * rows[i * points + j];
        ASSERT_DOUBLE_EQ(squares[i], sum / points) << i;
      }
    }
}

TYPED_TEST(MedianRow, BadShapesThrow) {
  EXPECT_THROW_KIND(this->median({1, 2, 3}, 2), ErrorKind::internal);
  EXPECT_THROW_KIND(this->median({}, 2), ErrorKind::internal);
  EXPECT_THROW_KIND(this->median(Floats(kMostMedianRows + 1), 1), ErrorKind::internal);
  EXPECT_THROW_KIND(this->squares({1, 2, 3}, 2), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
