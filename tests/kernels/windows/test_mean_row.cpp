#include "kernels/windows/mean_row.h"

#include <cmath>

#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

std::vector<float> uniform_rows(std::int64_t rows, std::int64_t points, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-2, 3);
  std::vector<float> values(rows * points);
  for (float& value : values) value = uniform(random);
  return values;
}

// Returns the rows 0, 3, 6, .. modulo `rows`, one of them twice.
std::vector<std::int32_t> some_indices(std::int64_t n, std::int64_t rows) {
  std::vector<std::int32_t> indices(n);
  for (std::int64_t i = 0; i < n; ++i) indices[i] = static_cast<std::int32_t>(3 * i % rows);
  if (n > 1) indices[1] = indices[0];
  return indices;
}

template <class Context>
class MeanRow : public OnBackend<Context> {
 protected:
  std::vector<float> mean(const std::vector<float>& rows, const std::vector<std::int32_t>& indices,
                          std::int64_t points) {
    auto& context = this->context();
    Buffer<float, Context> row(context, points);
    mean_row(context, from_host(context, rows), from_host(context, indices), row);
    return to_host(context, row);
  }
  std::vector<float> errors(const std::vector<float>& rows, const std::vector<std::int32_t>& indices,
                            const std::vector<float>& row) {
    auto& context = this->context();
    Buffer<float, Context> found(context, std::ssize(indices));
    row_errors(context, from_host(context, rows), from_host(context, indices), from_host(context, row), found);
    return to_host(context, found);
  }
};
TYPED_TEST_SUITE(MeanRow, Backends, BackendNames);

TYPED_TEST(MeanRow, ByHand) {
  const std::vector<float> rows = {1, 2, 10, 20, 3, 6};  // 3 rows of 2 points
  EXPECT_EQ(this->mean(rows, {0, 2}, 2), (std::vector<float>{2, 4}));
  EXPECT_EQ(this->errors(rows, {1, 0, 2}, {2, 4}), (std::vector<float>{160, 2.5f, 2.5f}));
}

TYPED_TEST(MeanRow, MatchesItsDefinition) {
  for (const std::int64_t n : {1, 2, 31, 255, 256, 257, 5000})
    for (const std::int64_t points : {1, 8, 255, 256, 257, 600}) {
      SCOPED_TRACE(testing::Message() << "n=" << n << " points=" << points);
      const std::int64_t count = 700;
      const auto rows = uniform_rows(count, points, static_cast<unsigned>(n + points));
      const auto indices = some_indices(n, count);
      const auto mean = this->mean(rows, indices, points);
      const auto errors = this->errors(rows, indices, mean);
      for (std::int64_t t = 0; t < points; ++t) {
        double sum = 0;
        for (const auto i : indices) sum += rows[i * points + t];
        ASSERT_NEAR(mean[t], sum / static_cast<double>(n), 1e-5) << t;  // some tens of roundings of 3 * 6e-8
      }
      for (std::int64_t i = 0; i < n; ++i) {
        double sum = 0;
        for (std::int64_t t = 0; t < points; ++t) sum += std::pow(rows[indices[i] * points + t] - mean[t], 2.0);
        ASSERT_NEAR(errors[i], sum / static_cast<double>(points), 1e-4) << i;  // values up to 25
      }
    }
}

TYPED_TEST(MeanRow, RefusesBadShapes) {
  EXPECT_THROW_KIND(this->mean({1, 2, 3}, {0}, 2), ErrorKind::internal);
  EXPECT_THROW_KIND(this->mean({1, 2}, {}, 2), ErrorKind::internal);
  auto& context = this->context();
  Buffer<float, TypeParam> rows(context, 4), row(context, 2), errors(context, 3);
  EXPECT_THROW_KIND(row_errors(context, rows, from_host(context, std::vector<std::int32_t>{0, 1}), row, errors),
                    ErrorKind::internal);
}

TEST(MeanRowOnCpu, SameBitsForAnyNumberOfThreads) {
  const auto rows = uniform_rows(3000, 64, 1);
  const auto indices = some_indices(2900, 3000);
  const auto mean = [&](int threads) {
    Cpu cpu(threads);
    std::vector<float> row(64);
    mean_row(cpu, rows, indices, row);
    return row;
  };
  EXPECT_EQ(mean(1), mean(5));
}

}  // namespace
}  // namespace beatscan
