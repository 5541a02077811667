#include "kernels/templates/shape_distances.h"

#include <cmath>

#include "kernels/lists/bits.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

using Shorts = std::vector<std::int16_t>;
using Squares = std::vector<std::int64_t>;

constexpr double kFloor = 1638.4;

// Shapes of several kinds: beats of one kind are similar.
Shorts some_shapes(std::int64_t beats, std::int64_t width, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Shorts shapes(beats * width);
  for (std::int64_t i = 0; i < std::ssize(shapes); ++i)
    shapes[i] = static_cast<std::int16_t>(
        500 * std::sin(static_cast<double>((i / width) % 5 + 1) * 0.1 * static_cast<double>(i % width)) +
        static_cast<double>(random() % 400));
  return shapes;
}

Squares squares_of(const Shorts& shapes, std::int64_t width) {
  Squares squares(std::ssize(shapes) / width);
  for (std::int64_t i = 0; i < std::ssize(shapes); ++i) squares[i / width] += shapes[i] * shapes[i];
  return squares;
}

// The definition, in integers until the last step.
float expected_distance(const std::int16_t* a, const std::int16_t* b, std::int64_t width, double floor) {
  std::int64_t apart = 0, first = 0, second = 0;
  for (std::int64_t j = 0; j < width; ++j) {
    apart += (a[j] - b[j]) * (a[j] - b[j]);
    first += a[j] * a[j];
    second += b[j] * b[j];
  }
  return static_cast<float>(static_cast<double>(apart) /
                            (std::sqrt(static_cast<double>(first) * static_cast<double>(second)) + floor));
}

struct Nearest {
  std::vector<std::uint8_t> nearest;
  std::vector<float> distances;
};

template <class Context>
class ShapeDistances : public OnBackend<Context> {
 protected:
  Nearest nearest(const Shorts& shapes, const Shorts& centres, std::int64_t width, double floor = kFloor) {
    auto& context = this->context();
    const auto squares = squares_of(shapes, width), centre_squares = squares_of(centres, width);
    Buffer<std::uint8_t, Context> found(context, std::ssize(squares));
    Buffer<float, Context> distances(context, std::ssize(squares));
    const auto a = from_host(context, shapes), b = from_host(context, centres);
    const auto a_squares = from_host(context, squares), b_squares = from_host(context, centre_squares);
    nearest_shapes(context, {a, a_squares}, {b, b_squares}, width, floor, found, distances);
    return {to_host(context, found), to_host(context, distances)};
  }
  std::vector<std::uint32_t> neighbours(const Shorts& shapes, std::int64_t width, float radius) {
    auto& context = this->context();
    const auto squares = squares_of(shapes, width);
    const std::int64_t count = std::ssize(squares);
    Buffer<std::uint32_t, Context> found(context, count * words_for(count));
    const auto a = from_host(context, shapes);
    const auto a_squares = from_host(context, squares);
    shape_neighbours(context, {a, a_squares}, width, kFloor, radius, found);
    return to_host(context, found);
  }
};
TYPED_TEST_SUITE(ShapeDistances, Backends, BackendNames);

// A shape of one value: (3 - 5)^2 / (3 * 5 + 1) = 1/4. Of two centres that are equally near the first is taken.
TYPED_TEST(ShapeDistances, ByHand) {
  Shorts shape(kShapePoints, 0), centres(3 * kShapePoints, 0);
  shape[7] = 3;
  centres[7] = -3, centres[kShapePoints + 7] = 5, centres[2 * kShapePoints + 7] = 5;
  const auto found = this->nearest(shape, centres, kShapePoints, 1);
  EXPECT_EQ(found.nearest[0], 1);
  EXPECT_EQ(found.distances[0], 0.25f);
  EXPECT_EQ(this->nearest(shape, Shorts(centres.begin(), centres.begin() + kShapePoints), kShapePoints, 0).distances[0],
            4)
      << "inverted";
  EXPECT_EQ(shape_distance(std::span(std::as_const(shape)), std::span(std::as_const(centres)).subspan(64, 64), 1),
            0.25f);
}

TYPED_TEST(ShapeDistances, NearestMatchesItsDefinition) {
  for (const std::int64_t beats : sizes_around(32))
    for (const std::int64_t centres : {1, 31, 33, 40, 250})
      for (const std::int64_t width : {64, 128, 768}) {
        SCOPED_TRACE(testing::Message() << shape_and_seed("beats", beats, beats + centres) << " centres=" << centres
                                        << " width=" << width);
        const auto shapes = some_shapes(beats, width, beats + centres), means = some_shapes(centres, width, 3);
        const auto found = this->nearest(shapes, means, width);
        for (std::int64_t b = 0; b < beats; ++b) {
          int best = 0;
          float least = INFINITY;
          for (int k = 0; k < centres; ++k) {
            const float distance = expected_distance(&shapes[b * width], &means[k * width], width, kFloor);
            if (distance < least) least = distance, best = k;
          }
          ASSERT_EQ(found.nearest[b], best) << b;
          ASSERT_EQ(found.distances[b], least) << b;
        }
      }
}

TYPED_TEST(ShapeDistances, NeighboursMatchTheirDefinition) {
  for (const std::int64_t beats : {1, 31, 32, 33, 64, 200})
    for (const std::int64_t width : {64, 192}) {
      SCOPED_TRACE(shape_and_seed("beats", beats, beats));
      const auto shapes = some_shapes(beats, width, beats);
      const auto found = this->neighbours(shapes, width, 0.5f);
      std::int64_t pairs = 0;
      for (std::int64_t i = 0; i < beats; ++i)
        for (std::int64_t j = 0; j < 32 * words_for(beats); ++j) {
          const bool near =
              j < beats && expected_distance(&shapes[i * width], &shapes[j * width], width, kFloor) < 0.5f;
          ASSERT_EQ(found[i * words_for(beats) + j / 32] >> j % 32 & 1, near) << i << ' ' << j;
          pairs += near;
        }
      EXPECT_GE(pairs, beats);
      if (beats > 5) {
        EXPECT_LT(pairs, beats * beats);
      }
    }
}

// The largest values do not overflow.
TYPED_TEST(ShapeDistances, TheLargestValuesFit) {
  Shorts shapes(2 * 128, kMostShapeValue);
  for (int j = 0; j < 128; ++j) shapes[j] = -kMostShapeValue;
  const auto found = this->nearest(Shorts(shapes.begin(), shapes.begin() + 128), shapes, 128, 0);
  EXPECT_EQ(found.distances[0], 0);
  EXPECT_EQ(
      this->nearest(Shorts(shapes.begin(), shapes.begin() + 128), Shorts(shapes.begin() + 128, shapes.end()), 128, 0)
          .distances[0],
      4);
}

TYPED_TEST(ShapeDistances, OfNoShapes) {
  EXPECT_TRUE(this->nearest({}, Shorts(64), 64).nearest.empty());
  EXPECT_TRUE(this->neighbours({}, 64, 1).empty());
}

TYPED_TEST(ShapeDistances, BadShapesThrow) {
  EXPECT_THROW_KIND(this->nearest(Shorts(63), Shorts(63), 63), ErrorKind::internal);
  EXPECT_THROW_KIND(this->nearest(Shorts(64), {}, 64), ErrorKind::internal);
  EXPECT_THROW_KIND(this->nearest(Shorts(64), Shorts(64 * (kMostCentres + 1)), 64), ErrorKind::internal);
  EXPECT_THROW_KIND(this->neighbours(Shorts(63), 63, 1), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
