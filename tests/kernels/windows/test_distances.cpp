#include "kernels/windows/distances.h"

#include <algorithm>
#include <cmath>

#include "tests/support/backends.h"
#include "tests/support/expect_error.h"
#include "tests/support/test_stride.h"

namespace beatscan {
namespace {

using Floats = std::vector<float>;

Floats random_rows(std::int64_t rows, std::int64_t points, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  Floats values(rows * points);
  for (float& value : values) value = normal(random);
  return values;
}

// Makes a row of 64 equal points of each value.
Floats constant_rows(const Floats& values) {
  Floats rows;
  for (const float value : values) rows.insert(rows.end(), kPooledPoints, value);
  return rows;
}

// --- from a median beat, free in size ---

constexpr SizeRange kAnySize{0.8f, 1.25f}, kOwnSize{1, 1};

template <class Context>
class ScaledDistances : public OnBackend<Context> {
 protected:
  Floats distances(const Floats& rows, const Floats& median, float spread, SizeRange range) {
    const auto points = std::max<std::int64_t>(std::ssize(median), 1);
    return distances(rows, median, spread, range, std::ssize(rows) / points);
  }
  Floats distances(const Floats& rows, const Floats& median, float spread, SizeRange range, std::int64_t count) {
    auto& context = this->context();
    auto found = from_host(context, Floats(count, NAN));  // everything has to be written
    scaled_distances(context, from_host(context, rows), from_host(context, median), spread, range, found);
    return to_host(context, found);
  }
};
TYPED_TEST_SUITE(ScaledDistances, Backends, BackendNames);

double expected_distance(const float* row, const Floats& median, double spread, SizeRange range) {
  double product = 0, square = 0, sum = 0;
  for (std::size_t j = 0; j < median.size(); ++j) {
    product += (median[j] + spread * row[j]) * median[j];
    square += static_cast<double>(median[j]) * median[j];
  }
  const double size = std::clamp<double>(product / square, range.low, range.high);
  for (std::size_t j = 0; j < median.size(); ++j) sum += std::pow(median[j] + spread * row[j] - size * median[j], 2);
  return sum / static_cast<double>(median.size());
}

TYPED_TEST(ScaledDistances, ByHand) {
  const Floats median = {1, -1};
  // Beats {1 -1} and {2 -2} have the median's shape. {3 -3} is more than twice its size and {0 0} less than half of it.
  // {2 0} has another shape.
  const Floats rows = {0, 0, 1, -1, 2, -2, -1, 1, 1, 1};
  EXPECT_EQ(this->distances(rows, median, 1, {0.5f, 2}), (Floats{0, 0, 1, 0.25f, 1}));
  EXPECT_EQ(this->distances(rows, median, 1, kOwnSize), (Floats{0, 1, 4, 1, 1})) << "plain squares";
  EXPECT_EQ(this->distances(rows, median, 2, kOwnSize), (Floats{0, 4, 16, 4, 4})) << "spread is the rows' unit";
}

TYPED_TEST(ScaledDistances, OfNoRows) { EXPECT_EQ(this->distances({}, {1, -1}, 1, kAnySize), Floats{}); }

// A Cuda block takes 8 rows, a lane of it every 32nd point, and a CPU thread 256 rows. Sums have up to 257 terms, one
// after the other, and so at most 257 roundings of 6e-8. Rounding also moves the size, which at the best size does not
// matter.
TYPED_TEST(ScaledDistances, MatchTheirDefinition) {
  for (const std::int64_t count : {1, 7, 8, 9, 47, 511, 512, 513, 1300})
    for (const std::int64_t points : {1, 31, 32, 33, 256, 257})
      for (const auto& range : {kAnySize, kOwnSize, SizeRange{0, 100}}) {
        if (left_out()) continue;
        const std::uint64_t seed = count * 1000 + points;
        SCOPED_TRACE(testing::Message() << shape_and_seed("count", count, seed) << " points=" << points);
        auto rows = random_rows(count, points, seed);
        auto median = random_rows(1, points, seed + 1);
        median[0] = 1;
        std::fill_n(rows.begin(), points, 0.0f);  // the first is the median beat
        const auto found = this->distances(rows, median, 0.3f, range);
        for (std::int64_t b = 0; b < count; ++b) {
          const double expected = expected_distance(&rows[b * points], median, 0.3f, range);
          ASSERT_NEAR(found[b], expected, 3e-5 * expected + 1e-10) << b;
        }
      }
}

// Breathing changes a beat's size by some tenths. Such a beat is near, and one that is larger still is not.
TYPED_TEST(ScaledDistances, SizeDoesNotMatterWithinTheRange) {
  const auto median = random_rows(1, 256, 4);
  double square = 0;
  for (const float value : median) square += static_cast<double>(value) * value / 256;
  for (const double size : {0.5, 0.7, 0.81, 1.0, 1.24, 1.5, 3.0}) {
    Floats row;
    for (const float value : median) row.push_back(static_cast<float>((size - 1) * value / 0.2));
    const double beyond = std::max({0.8 - size, size - 1.25, 0.0});
    // These are squares of differences between values of some units, which are rounded by 6e-8 each.
    EXPECT_NEAR(this->distances(row, median, 0.2f, kAnySize)[0], beyond * beyond * square, 1e-5) << size;
  }
}

TYPED_TEST(ScaledDistances, AreOfEachRowByItself) {
  const auto rows = random_rows(600, 64, 5), median = random_rows(1, 64, 6);
  const auto all = this->distances(rows, median, 1, kAnySize);
  Floats reversed;
  for (std::int64_t b = 599; b >= 0; --b)
    reversed.insert(reversed.end(), rows.begin() + b * 64, rows.begin() + (b + 1) * 64);
  auto found = this->distances(reversed, median, 1, kAnySize);
  std::ranges::reverse(found);
  EXPECT_EQ(found, all);
}

TYPED_TEST(ScaledDistances, RefuseBadShapes) {
  EXPECT_THROW_KIND(this->distances({1, 2, 3}, {1, 1}, 1, kAnySize, 1), ErrorKind::internal);
  EXPECT_THROW_KIND(this->distances({1, 2, 3, 4}, {1, 1}, 1, kAnySize, 3), ErrorKind::internal);
  EXPECT_THROW_KIND(this->distances({}, {}, 1, kAnySize, 0), ErrorKind::internal);
}

// --- from the nearest of many beats ---

template <class Context>
class NearestDistances : public OnBackend<Context> {
 protected:
  Floats distances(const Floats& rows, const Floats& references, std::int64_t points, int rank) {
    return distances(rows, references, points, rank, std::ssize(rows) / points);
  }
  Floats distances(const Floats& rows, const Floats& references, std::int64_t points, int rank, std::int64_t count) {
    auto& context = this->context();
    auto found = from_host(context, Floats(count, NAN));
    nearest_distances(context, from_host(context, rows), from_host(context, references), points, rank, found);
    return to_host(context, found);
  }
};
TYPED_TEST_SUITE(NearestDistances, Backends, BackendNames);

std::vector<double> expected_pooled(const Floats& rows, std::int64_t points) {
  const std::int64_t width = points / kPooledPoints;
  std::vector<double> means(rows.size() / width);
  for (std::size_t i = 0; i < rows.size(); ++i) means[i / width] += rows[i] / static_cast<double>(width);
  return means;
}

// Returns all distances between a row and the references, in ascending order.
std::vector<double> expected_order(const double* row, const std::vector<double>& references) {
  std::vector<double> order(references.size() / kPooledPoints);
  for (std::size_t i = 0; i < references.size(); ++i)
    order[i / kPooledPoints] += std::pow(row[i % kPooledPoints] - references[i], 2) / kPooledPoints;
  std::ranges::sort(order);
  return order;
}

TYPED_TEST(NearestDistances, ByHand) {
  const auto rows = constant_rows({0, 3, -2}), references = constant_rows({0, 1, 3});
  EXPECT_EQ(this->distances(rows, references, 64, 0), (Floats{0, 0, 4}));
  EXPECT_EQ(this->distances(rows, references, 64, 1), (Floats{1, 4, 9}));
  EXPECT_EQ(this->distances(rows, references, 64, 2), (Floats{9, 9, 25}));
}

TYPED_TEST(NearestDistances, CompareMeansOfNeighbouringPoints) {
  Floats row;  // 1 3 1 3 .., which is pooled to 2 2 ..
  for (int i = 0; i < 64; ++i) row.insert(row.end(), {1, 3});
  EXPECT_EQ(this->distances(row, Floats(128, 2.0f), 128, 0), (Floats{0}));
  EXPECT_EQ(this->distances(row, Floats(128, 0.0f), 128, 0), (Floats{4}));
}

TYPED_TEST(NearestDistances, OfNoRows) { EXPECT_EQ(this->distances({}, Floats(64, 1.0f), 64, 0), Floats{}); }

// Some references are equal, and a row is one of them. The first ranks are 0, and then comes the next distance.
TYPED_TEST(NearestDistances, TiesTakeARankEach) {
  const auto rows = constant_rows({1}), references = constant_rows({1, 2, 1, 0, 1, 4});
  const Floats expected = {0, 0, 0, 1, 1, 9};
  for (int rank = 0; rank < 6; ++rank)
    EXPECT_EQ(this->distances(rows, references, 64, rank), Floats{expected[rank]}) << rank;
}

// A warp on Cuda takes 4 rows and 128 references at a time, and a CPU thread 64 rows. There are few distinct values,
// and every other reference occurs twice. Sums of 64 squares of a few units have a relative error of at most 64
// roundings of 6e-8.
TYPED_TEST(NearestDistances, MatchTheirDefinition) {
  for (const std::int64_t count : {1, 3, 4, 5, 31, 32, 33, 127, 128, 129, 167})
    for (const std::int64_t references : {1, 31, 32, 33, 127, 128, 129, 300, 511, 512})
      for (const std::int64_t points : {64, 256}) {
        if (left_out()) continue;
        const std::uint64_t seed = count * 1000 + references;
        SCOPED_TRACE(testing::Message() << shape_and_seed("count", count, seed) << " references=" << references
                                        << " points=" << points);
        const auto rows = random_signal(count * points, seed);
        auto values = random_signal(references * points, seed + 1);
        for (std::int64_t r = 1; r < references; r += 2)
          std::copy_n(values.begin() + (r - 1) * points, points, values.begin() + r * points);
        const auto pooled_rows = expected_pooled(rows, points), pooled_references = expected_pooled(values, points);
        const std::int64_t ranks[] = {0, references / 10, references / 2, references - 1};
        std::vector<Floats> found;
        for (const auto rank : ranks) found.push_back(this->distances(rows, values, points, static_cast<int>(rank)));
        for (std::int64_t b = 0; b < count; ++b) {
          const auto order = expected_order(&pooled_rows[b * kPooledPoints], pooled_references);
          for (int i = 0; i < 4; ++i)
            ASSERT_NEAR(found[i][b], order[ranks[i]], 1e-5 * order[ranks[i]] + 1e-10) << b << ", rank " << ranks[i];
        }
      }
}

TYPED_TEST(NearestDistances, TheOrderOfTheReferencesDoesNotMatter) {
  const auto rows = random_rows(100, 128, 1), references = random_rows(400, 128, 2);
  Floats reversed;
  for (std::int64_t r = 399; r >= 0; --r)
    reversed.insert(reversed.end(), references.begin() + r * 128, references.begin() + (r + 1) * 128);
  for (const int rank : {0, 5, 40, 399})
    EXPECT_EQ(this->distances(rows, reversed, 128, rank), this->distances(rows, references, 128, rank)) << rank;
}

TYPED_TEST(NearestDistances, RefuseBadShapes) {
  const Floats row(64, 0.0f);
  EXPECT_NO_THROW(this->distances(row, Floats(512 * 64, 0.0f), 64, 511));
  EXPECT_THROW_KIND(this->distances(row, Floats(513 * 64, 0.0f), 64, 0), ErrorKind::internal) << "too many references";
  EXPECT_THROW_KIND(this->distances(row, Floats(3 * 64, 0.0f), 64, 3), ErrorKind::internal) << "no such rank";
  EXPECT_THROW_KIND(this->distances(row, Floats(3 * 64, 0.0f), 64, -1), ErrorKind::internal);
  EXPECT_THROW_KIND(this->distances(row, {}, 64, 0), ErrorKind::internal) << "no references";
  EXPECT_THROW_KIND(this->distances(row, Floats(65, 0.0f), 64, 0), ErrorKind::internal);
  EXPECT_THROW_KIND(this->distances(Floats(96, 0.0f), Floats(96, 0.0f), 96, 0), ErrorKind::internal)
      << "no multiple of 64";
  EXPECT_THROW_KIND(this->distances(row, row, 64, 0, 2), ErrorKind::internal);
}

// --- far rows ---

TYPED_TEST(ScaledDistances, DropFarClearsFlagsAboveTheLimit) {
  auto& context = this->context();
  auto flags = from_host(context, std::vector<std::uint8_t>{1, 1, 1, 0, 1});
  drop_far(context, from_host(context, Floats{1, 2, 3, 1, INFINITY}), 2, flags);
  EXPECT_EQ(to_host(context, flags), (std::vector<std::uint8_t>{1, 1, 0, 0, 0}));
  EXPECT_THROW_KIND(drop_far(context, from_host(context, Floats{1}), 2, flags), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
