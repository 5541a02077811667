#include "kernels/templates/shape_rows.h"

#include <algorithm>
#include <cmath>

#include "kernels/runtime/buffer.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;
using Shorts = std::vector<std::int16_t>;

template <class Context>
class ShapeRows : public OnBackend<Context> {
 protected:
  // Returns the shapes of several leads, whose rows are given one after the other.
  Shorts shapes(const std::vector<Floats>& leads, std::int64_t beats, double offset, double factor) {
    auto& context = this->context();
    const std::int64_t width = kShapePoints * std::ssize(leads);
    Buffer<std::int16_t, Context> found(context, beats * width);
    for (std::int64_t l = 0; l < std::ssize(leads); ++l)
      shape_rows(context, from_host(context, leads[l]), from_host(context, Doubles(kShapePoints, offset)),
                 from_host(context, Doubles(kShapePoints, factor * static_cast<double>(l + 1))), l, width, found);
    return to_host(context, found);
  }
  std::vector<std::int64_t> squares(const Shorts& shapes, std::int64_t beats) {
    auto& context = this->context();
    Buffer<std::int64_t, Context> found(context, beats);
    shape_squares(context, from_host(context, shapes), found);
    return to_host(context, found);
  }
  Shorts gather(const Shorts& shapes, const std::vector<std::int64_t>& indices, std::int64_t width) {
    auto& context = this->context();
    Buffer<std::int16_t, Context> found(context, std::ssize(indices) * width);
    gather_shapes(context, from_host(context, shapes), from_host(context, indices), width, found);
    return to_host(context, found);
  }
};
TYPED_TEST_SUITE(ShapeRows, Backends, BackendNames);

// Two points of the row make one of the shape. Halves are rounded to even numbers.
TYPED_TEST(ShapeRows, ByHand) {
  Floats row(2 * kShapePoints, 0.0f);
  row[0] = 1, row[1] = 2, row[2] = -5, row[4] = 1e30f, row[126] = -1e30f;
  const auto found = this->shapes({row}, 1, 1, 0.5);
  EXPECT_EQ((Shorts(found.begin(), found.begin() + 4)), (Shorts{2, -2, kMostShapeValue, 1}));
  EXPECT_EQ(found.back(), -kMostShapeValue);
  EXPECT_EQ(this->squares({3, -4, 0, 1}, 2), (std::vector<std::int64_t>{25, 1}));
  EXPECT_EQ(this->gather({1, 2, 3, 4, 5, 6}, {2, 0, 2}, 2), (Shorts{5, 6, 1, 2, 5, 6}));
}

TYPED_TEST(ShapeRows, MatchesItsDefinition) {
  for (const std::int64_t beats : sizes_around(256))
    for (const std::int64_t pooled : {1, 4}) {
      SCOPED_TRACE(shape_and_seed("beats", beats, beats + pooled));
      const std::int64_t points = pooled * kShapePoints;
      const std::vector<Floats> leads{random_signal(beats * points, beats + pooled, 1001),
                                      random_signal(beats * points, beats + pooled + 1, 11)};
      const auto found = this->shapes(leads, beats, -3.25, 1.75);
      Doubles sums(beats);
      for (std::int64_t i = 0; i < std::ssize(found); ++i) {
        const std::int64_t beat = i / 128, lead = i % 128 / 64, point = i % 64;
        double sum = 0;
        for (std::int64_t j = 0; j < pooled; ++j) sum += leads[lead][beat * points + point * pooled + j];
        const double value = std::rint(-3.25 + 1.75 * static_cast<double>(lead + 1) * sum);
        ASSERT_EQ(found[i], std::clamp(value, -4095.0, 4095.0)) << i;
        sums[beat] += found[i] * found[i];
      }
      const auto squares = this->squares(found, beats);
      for (std::int64_t b = 0; b < beats; ++b) ASSERT_EQ(squares[b], sums[b]) << b;
    }
}

// The sum of the squares of the largest values does not overflow.
TYPED_TEST(ShapeRows, TheLargestValuesFit) {
  EXPECT_EQ(this->squares(Shorts(64 * 64, -kMostShapeValue), 1)[0], std::int64_t{4095} * 4095 * 64 * 64);
}

TYPED_TEST(ShapeRows, OfNoBeats) {
  EXPECT_TRUE(this->shapes({Floats()}, 0, 0, 1).empty());
  EXPECT_TRUE(this->squares({}, 0).empty());
  EXPECT_TRUE(this->gather({1, 2}, {}, 2).empty());
}

TYPED_TEST(ShapeRows, BadShapesThrow) {
  EXPECT_THROW_KIND(this->shapes({Floats(63)}, 1, 0, 1), ErrorKind::internal);
  EXPECT_THROW_KIND(this->shapes({Floats()}, 1, 0, 1), ErrorKind::internal);
  EXPECT_THROW_KIND(this->squares({1, 2, 3}, 2), ErrorKind::internal);
  EXPECT_THROW_KIND(this->gather({1, 2, 3}, {0}, 2), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
