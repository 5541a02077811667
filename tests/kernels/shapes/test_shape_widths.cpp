#include "kernels/shapes/shape_widths.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/runtime/buffer.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

using Doubles = std::vector<double>;
using Floats = std::vector<float>;
using Indices = std::vector<std::int64_t>;

struct Lead {
  Floats rows;
  Doubles median_slopes;
  double spread = 1, weight = 1;
};

template <class Context>
class ShapeWidths : public OnBackend<Context> {
 protected:
  Doubles widths(const std::vector<Lead>& leads, WidthRange range, const Indices& beats, const Doubles& taps) {
    auto& context = this->context();
    std::vector<Buffer<float, Context>> rows;
    std::vector<Buffer<double, Context>> slopes;
    std::vector<WidthLead> given;
    for (const Lead& lead : leads) {
      rows.push_back(from_host(context, lead.rows));
      slopes.push_back(from_host(context, lead.median_slopes));
      given.push_back({rows.back(), slopes.back(), lead.spread, lead.weight});
    }
    Buffer<double, Context> found(context, std::ssize(beats));
    shape_widths(context, given, range, from_host(context, beats), from_host(context, taps), found);
    return to_host(context, found);
  }
};
TYPED_TEST_SUITE(ShapeWidths, Backends, BackendNames);

// A step of one point has one slope of 1, so it is one point wide; a ramp over four points is four points wide.
TYPED_TEST(ShapeWidths, ByHand) {
  const WidthRange range{8, 0, 8};
  const Lead lead{{0, 0, 0, 0, 5, 5, 5, 5, 0, 0, 1, 2, 3, 4, 4, 4, 7, 7, 7, 7, 7, 7, 7, 7}, Doubles(8, 0.0)};
  EXPECT_EQ(this->widths({lead}, range, {0, 1, 2}, {0, -1, 1}), (Doubles{1, 4, 0}));
  EXPECT_NEAR(this->widths({lead, lead}, range, {1}, {0, -1, 1}).front(), 4, 1e-12) << "a root is rounded";
  Lead against = lead;
  against.median_slopes = {0, 0, 0, 0, 0, 0, 0, 3};
  EXPECT_EQ(this->widths({against}, range, {2}, {0, -1, 1}), (Doubles{1})) << "the median beat has slopes too";
  Lead part = lead;
  part.median_slopes = {0, 0};
  EXPECT_EQ(this->widths({part}, {8, 2, 4}, {1}, {0, -1, 1}), (Doubles{2})) << "within the range alone";
}

TYPED_TEST(ShapeWidths, MatchTheirDefinition) {
  const auto taps = slope_taps(1.5);
  const std::int64_t reach = std::ssize(taps) / 2;
  for (const std::int64_t beats : {1, 255, 256, 257}) {
    SCOPED_TRACE(shape_and_seed("beats", beats, beats));
    const WidthRange range{64, 1, 60};
    std::vector<Lead> leads;
    for (int l = 0; l < 2; ++l) {
      leads.push_back({random_signal(beats * 64, beats + l, 101), Doubles(59), 0.5 + l, 2.0 - l});
      std::iota(leads[l].median_slopes.begin(), leads[l].median_slopes.end(), l - 30.0);
    }
    Indices all(beats);
    std::iota(all.begin(), all.end(), 0);
    const auto found = this->widths(leads, range, all, taps);
    for (std::int64_t b = 0; b < beats; ++b) {
      double sum = 0, squares = 0;
      for (std::int64_t j = 1; j < 60; ++j) {
        double energy = 0;
        for (const Lead& lead : leads) {
          double slope = 0;
          for (std::int64_t k = -reach; k <= reach; ++k)
            slope += taps[k + reach] * lead.rows[b * 64 + std::clamp<std::int64_t>(j + k, 0, 63)];
          energy += lead.weight * std::pow(lead.median_slopes[j - 1] + lead.spread * slope, 2);
        }
        sum += std::sqrt(energy);
        squares += energy;
      }
      ASSERT_NEAR(found[b], sum * sum / squares, 1e-9) << b;
    }
  }
}

// The taps give the slope of a straight line, whatever they smooth.
TEST(SlopeTaps, OfAStraightLine) {
  for (const double sigma : {0.2, 1.5, 2.5}) {
    Floats line(64);
    for (int j = 0; j < 64; ++j) line[j] = static_cast<float>(3 * j);
    for (const double slope : slopes_of(line, {64, 20, 40}, slope_taps(sigma))) ASSERT_NEAR(slope, 3, 1e-12) << sigma;
  }
}

TYPED_TEST(ShapeWidths, OfNoBeats) { EXPECT_TRUE(this->widths({{Floats(), Doubles(8)}}, {8, 0, 8}, {}, {1}).empty()); }

TYPED_TEST(ShapeWidths, BadShapesThrow) {
  EXPECT_THROW_KIND(this->widths({}, {8, 0, 8}, {}, {1}), ErrorKind::internal);
  EXPECT_THROW_KIND(this->widths({{Floats(8), Doubles(7)}}, {8, 0, 8}, {0}, {1}), ErrorKind::internal);
  EXPECT_THROW_KIND(this->widths({{Floats(8), Doubles(8)}}, {8, 0, 8}, {0}, {1, 1}), ErrorKind::internal);
  EXPECT_THROW_KIND(this->widths({{Floats(8), Doubles(9)}}, {8, 0, 9}, {0}, {1}), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
