#include "kernels/detection/step_signs.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "kernels/runtime/buffer.h"
#include "kernels/runtime/error.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

constexpr StepRule kRule{.step = 2,
                         .near = 12,
                         .before = 5,
                         .after = 14,
                         .of_range = 0.65,
                         .beside = 0.25,
                         .of_usual = 0.2,
                         .like_usual = 0.45};

template <class Context>
class StepSigns : public OnBackend<Context> {
 protected:
  std::vector<StepSign> of(const std::vector<float>& x, const std::vector<std::int64_t>& r_peaks, double usual) {
    auto& context = this->context();
    Buffer<StepSign, Context> signs(context, std::ssize(r_peaks));
    step_signs(context, from_host(context, x), from_host(context, r_peaks), kRule, usual, signs);
    return to_host(context, signs);
  }
};
TYPED_TEST_SUITE(StepSigns, Backends, BackendNames);

// Returns the lead's samples from `first` to `last`, both included.
std::vector<double> piece_of(const std::vector<float>& x, std::int64_t first, std::int64_t last) {
  std::vector<double> piece;
  for (std::int64_t n = first; n <= last; ++n) piece.push_back(x[std::clamp<std::int64_t>(n, 0, std::ssize(x) - 1)]);
  return piece;
}

std::vector<double> changes_of(const std::vector<double>& x, std::int64_t step) {
  std::vector<double> changes;
  for (std::size_t i = 0; i + step < x.size(); ++i) changes.push_back(x[i + step] - x[i]);
  return changes;
}

// The definition in stages/findings/steps.h, of a piece of the lead that is cut out. It is in double precision, so the
// samples of these tests are whole numbers.
StepSign by_definition(const std::vector<float>& x, std::int64_t r_peak, double usual) {
  const auto near = changes_of(piece_of(x, r_peak - kRule.near, r_peak + kRule.near), kRule.step);
  const auto steepest = std::ranges::max_element(near, {}, [](double change) { return std::abs(change); });
  const std::int64_t at = r_peak - kRule.near + (steepest - near.begin());
  const auto around = piece_of(x, at - kRule.before, at + kRule.step + kRule.after);
  const auto [least, most] = std::ranges::minmax(around);
  const auto changes = changes_of(around, kRule.step);
  double beside = 0;
  for (std::int64_t i = 0; i < std::ssize(changes); ++i) {
    const bool overlaps = i >= kRule.before - kRule.step && i < kRule.before + kRule.step;
    if (!overlaps || changes[i] * *steepest < 0) beside = std::max(beside, std::abs(changes[i]));
  }
  const double size = std::abs(*steepest);
  if (size > kRule.of_usual * usual && size >= kRule.of_range * (most - least) && beside <= kRule.beside * size &&
      size > 0)
    return StepSign::step;
  return size > kRule.like_usual * usual ? StepSign::much : StepSign::little;
}

TYPED_TEST(StepSigns, OfAStepASpikeAndAFlatLine) {
  std::vector<float> x(300, 0);
  std::fill(x.begin() + 101, x.begin() + 140, 8.F);  // rises at once and falls much later
  x[200] = 8;
  EXPECT_EQ(this->of(x, {100, 200, 260}, 10), (std::vector{StepSign::step, StepSign::much, StepSign::little}));
  EXPECT_EQ(this->of(x, {100, 200}, 50), (std::vector{StepSign::little, StepSign::little})) << "of the usual change";
  EXPECT_EQ(this->of(x, {100}, 39), (std::vector{StepSign::step}));
}

// Steps of several sizes, in noise of several sizes, so that each part of the rule decides somewhere.
TYPED_TEST(StepSigns, MatchTheirDefinition) {
  std::mt19937 random(3);
  std::vector<float> x(20'000);
  float level = 0;
  for (std::size_t n = 0; n < x.size(); ++n) {
    if (random() % 37 == 0) level += static_cast<float>(random() % 64) - 32;
    x[n] = std::trunc(level) + static_cast<float>(random() % (1 + n / 1000));
    level *= n % 3 ? 1 : 0.97F;
  }
  std::vector<std::int64_t> r_peaks{-3, 0, 5, std::ssize(x) - 1, std::ssize(x) + 7};
  for (std::int64_t n = 11; n < std::ssize(x); n += 13) r_peaks.push_back(n);
  const auto signs = this->of(x, r_peaks, 40);
  int of_each[3] = {};
  for (std::size_t k = 0; k < r_peaks.size(); ++k) {
    EXPECT_EQ(signs[k], by_definition(x, r_peaks[k], 40)) << "at " << r_peaks[k];
    ++of_each[static_cast<int>(signs[k])];
  }
  for (const int count : of_each) EXPECT_GT(count, 50);
}

TYPED_TEST(StepSigns, OfListsAroundTheSizeOfABlock) {
  std::vector<float> x(3000, 0);
  for (std::size_t n = 0; n < x.size(); ++n) x[n] = static_cast<float>(n / 50 % 7 * (n % 3 + 1));
  EXPECT_TRUE(this->of(x, {}, 4).empty());
  for (const std::int64_t count : sizes_around(256)) {
    std::vector<std::int64_t> r_peaks;
    for (std::int64_t k = 0; k < count; ++k) r_peaks.push_back(7 * k % std::ssize(x));
    const auto signs = this->of(x, r_peaks, 4);
    for (std::int64_t k = 0; k < count; ++k) ASSERT_EQ(signs[k], by_definition(x, r_peaks[k], 4)) << k << " " << count;
  }
}

// The first of equal changes is the steepest one: here a rise, which the fall behind it takes back.
TYPED_TEST(StepSigns, OfEqualChangesAndOfOneSample) {
  std::vector<float> x(60, 0);
  std::fill(x.begin() + 28, x.begin() + 32, 8.F);
  EXPECT_EQ(this->of(x, {30}, 10), (std::vector{StepSign::much}));
  EXPECT_EQ(this->of({5.F}, {0, -9, 9}, 10), (std::vector(3, StepSign::little)));
}

TYPED_TEST(StepSigns, LargestChangesMatchTheirDefinition) {
  auto& context = this->context();
  std::mt19937 random(4);
  std::vector<float> x(700);
  for (float& value : x) value = static_cast<float>(random() % 1000);
  std::vector<std::int64_t> places;
  for (std::int64_t n = -20; n < 720; ++n) places.push_back(n);
  Buffer<float, TypeParam> found(context, std::ssize(places));
  largest_changes(context, from_host(context, x), from_host(context, places), 3, 9, found);
  const auto changes = to_host(context, found);
  for (std::size_t k = 0; k < places.size(); ++k) {
    double largest = 0;
    for (const double change : changes_of(piece_of(x, places[k] - 9, places[k] + 9 + 3), 3))
      largest = std::max(largest, std::abs(change));
    EXPECT_EQ(changes[k], largest) << "at " << places[k];
  }
}

TYPED_TEST(StepSigns, RefuseWrongShapes) {
  auto& context = this->context();
  const auto x = from_host(context, std::vector<float>(100));
  const auto places = from_host(context, std::vector<std::int64_t>{50, 60});
  Buffer<StepSign, TypeParam> one(context, 1), two(context, 2);
  Buffer<float, TypeParam> change(context, 1);
  EXPECT_THROW_KIND(step_signs(context, x, places, kRule, 1, one), ErrorKind::internal);
  EXPECT_THROW_KIND(step_signs(context, {}, places, kRule, 1, two), ErrorKind::internal);
  StepRule too_long = kRule;
  too_long.step = kRule.near + 1;
  EXPECT_THROW_KIND(step_signs(context, x, places, too_long, 1, two), ErrorKind::internal);
  EXPECT_THROW_KIND(largest_changes(context, x, places, 1, 5, change), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
