#include "kernels/detect/impulses.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "kernels/runtime/buffer.h"
#include "kernels/runtime/error.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

constexpr ImpulseRule kImpulseRule{.from = -30,
                                   .to = 5,
                                   .before = 8,
                                   .lag = 2,
                                   .top = 5,
                                   .fall = 4,
                                   .over = 6,
                                   .around = 20,
                                   .behind = 8,
                                   .reach = 30,
                                   .change = 4,
                                   .least_rest = 0.005,
                                   .of_rest = 4,
                                   .of_range = 0.03,
                                   .rise = 0.8,
                                   .falls = 0.6,
                                   .overshoot = 2.5};

template <class Context>
class Impulses : public OnBackend<Context> {
 protected:
  std::vector<Impulse> of(const std::vector<float>& x, const std::vector<double>& r_peaks,
                          const ImpulseRule& rule = kImpulseRule) {
    auto& context = this->context();
    const auto samples = from_host(context, x);
    const auto peaks = from_host(context, r_peaks);
    Buffer<Impulse, Context> impulses(context, peaks.size());
    find_impulses(context, samples, peaks, rule, impulses);
    return to_host(context, impulses);
  }
};
TYPED_TEST_SUITE(Impulses, Backends, BackendNames);

// An R peak of 1 at sample 60, which rises over 4 samples, and a baseline that moves by 0.02.
std::vector<float> a_beat() {
  std::vector<float> x(120);
  for (int n = 0; n < 120; ++n) x[n] = n % 2 == 0 ? 0 : 0.02F;
  for (int n = -4; n <= 4; ++n) x[60 + n] = 1 - 0.25F * static_cast<float>(std::abs(n));
  return x;
}

TYPED_TEST(Impulses, StandBeforeABeat) {
  for (const float side : {1.0F, -1.0F}) {
    auto x = a_beat();
    x[45] = 0.5F, x[46] = 0.4F;
    for (float& value : x) value *= side;
    const Impulse found = this->of(x, {59.8})[0];
    EXPECT_EQ(found.place, -15);
    EXPECT_FLOAT_EQ(found.over_rest, 0.48F / 0.02F) << "from 0.02 to 0.5";
    EXPECT_FLOAT_EQ(found.rise, 1);
    EXPECT_FLOAT_EQ(found.next, 13) << "from 56 to 60 on, in the middle";
    EXPECT_FLOAT_EQ(found.next_change, 1 / 0.48F);
  }
}

TYPED_TEST(Impulses, AreNoWavesAndNoSteps) {
  const auto has_one = [&](const std::vector<float>& x) { return !std::isnan(this->of(x, {60})[0].place); };
  auto x = a_beat();
  EXPECT_FALSE(has_one(x)) << "a QRS complex rises over more samples";
  for (int n = 45; n < 120; ++n) x[n] += 0.5F;
  EXPECT_FALSE(has_one(x)) << "nothing falls again";
  x = a_beat();
  x[45] = 0.07F;
  EXPECT_FALSE(has_one(x)) << "less than 4 rests";
  x = a_beat();
  x[45] = 0.3F;
  std::fill(x.begin() + 46, x.begin() + 53, -0.6F);
  EXPECT_FALSE(has_one(x)) << "far below the base";
  x = a_beat();
  for (int n = 0; n < 120; ++n)
    if (x[n] == 0.02F) x[n] = 0.002F;
  x[45] = 0.02F;
  EXPECT_FALSE(has_one(x)) << "less than 3 % of the range";
  x[45] = 0.05F;
  EXPECT_TRUE(has_one(x));
  std::fill(x.begin(), x.begin() + 45, 0.0F);
  EXPECT_FALSE(has_one(x)) << "a line at the end of the range";
  x[70] = -0.1F;
  EXPECT_TRUE(has_one(x));
}

TYPED_TEST(Impulses, NearAnEndAreNotKnown) {
  std::vector<float> x(200, 0.0F);
  for (int n = 0; n < 200; n += 12) x[n] = 1, x[n + 3] = -0.1F;
  const auto found = this->of(x, {37, 38, 156, 157});
  EXPECT_TRUE(std::isnan(found[0].place));
  EXPECT_FALSE(std::isnan(found[1].place));
  EXPECT_FALSE(std::isnan(found[2].place));
  EXPECT_TRUE(std::isnan(found[3].place));
}

// The definition in the header, written down once more.
Impulse expected(const std::vector<float>& x, std::int64_t r, const ImpulseRule& rule) {
  Impulse best{NAN, NAN, NAN, NAN, NAN};
  double largest = 0;
  const auto range_of = [&](std::int64_t first, std::int64_t last) {
    const auto [low, high] = std::minmax_element(x.begin() + first, x.begin() + last + 1);
    return std::pair(static_cast<double>(*low), static_cast<double>(*high));
  };
  const auto [least, most] = range_of(r - rule.around, r + rule.around);
  double smallest = 1e9;
  for (std::int64_t n = r - rule.around; n < r + rule.around; ++n)
    if (x[n + 1] != x[n]) smallest = std::min(smallest, std::abs(static_cast<double>(x[n + 1]) - x[n]));
  for (std::int64_t t = r + rule.from; t < r + rule.to; ++t) {
    const auto [low, high] = range_of(t - rule.before, t);
    const double up = x[t + rule.lag] - high, down = low - x[t + rule.lag], side = up >= down ? 1 : -1,
                 jump = std::max(up, down), base = up >= down ? high : -low,
                 rest = std::max({high - low, rule.least_rest * (most - least), smallest});
    std::vector<double> y;
    for (std::int64_t n = t; n <= t + rule.top + rule.over; ++n) y.push_back(side * x[n]);
    const auto apex = std::max_element(y.begin(), y.begin() + rule.top + 1);
    const double height = *apex - base;
    if (low == high && (low == least || high == most)) continue;
    if (jump <= largest || jump < rule.of_rest * rest || jump < rule.of_range * (most - least) ||
        jump < rule.rise * height || *apex - *std::min_element(apex, apex + rule.fall + 1) < rule.falls * height ||
        base - *std::min_element(apex, apex + rule.over + 1) > (rule.overshoot - 1) * height)
      continue;
    largest = jump;
    const std::int64_t at = t + (apex - y.begin());
    double change = -1;
    std::int64_t next = 0;
    for (std::int64_t n = rule.behind; n < rule.reach; ++n)
      if (const double its = std::abs(static_cast<double>(x[at + n + rule.change]) - x[at + n]); its > change)
        change = its, next = n;
    best = {static_cast<float>(at - r), static_cast<float>(jump / rest), static_cast<float>(jump / height),
            static_cast<float>(next) + 0.5F * static_cast<float>(rule.change), static_cast<float>(change / height)};
  }
  return best;
}

TYPED_TEST(Impulses, MatchTheirDefinition) {
  std::mt19937 random(4);
  std::vector<float> x(6000);
  for (float& value : x) value = static_cast<float>(random() % 16) * 0.01F + (random() % 23 == 0 ? 1.0F : 0.0F);
  for (const int count : {1, 255, 256, 257, 1000}) {
    std::vector<double> r_peaks;
    for (int k = 0; k < count; ++k) r_peaks.push_back(50.25 + 5.75 * k);
    const auto found = this->of(x, r_peaks);
    int some = 0;
    for (int k = 0; k < count; ++k) {
      const Impulse wanted = expected(x, static_cast<std::int64_t>(r_peaks[k] + 0.5), kImpulseRule);
      some += !std::isnan(wanted.place);
      for (const auto value :
           {&Impulse::place, &Impulse::over_rest, &Impulse::rise, &Impulse::next, &Impulse::next_change}) {
        EXPECT_EQ(std::isnan(found[k].*value), std::isnan(wanted.*value)) << k;
        if (!std::isnan(wanted.*value)) {
          EXPECT_FLOAT_EQ(found[k].*value, wanted.*value) << k;
        }
      }
    }
    if (count == 1000) {
      EXPECT_GT(some, 100);
    }
  }
}

TYPED_TEST(Impulses, MarkThoseThatAreFound) {
  auto x = a_beat();
  x[45] = 0.5F;
  for (int n = 0; n < 120; ++n) x.push_back(x[n]);
  x[165] = 0;
  auto& context = this->context();
  const auto samples = from_host(context, x);
  const auto peaks = from_host(context, std::vector<double>{60, 180, 235});
  Buffer<std::uint8_t, TypeParam> marked(context, 3);
  mark_impulses(context, samples, peaks, kImpulseRule, marked);
  EXPECT_EQ(to_host(context, marked), (std::vector<std::uint8_t>{1, 0, 0}));
  Buffer<std::uint8_t, TypeParam> few(context, 2);
  EXPECT_THROW_KIND(mark_impulses(context, samples, peaks, kImpulseRule, few), ErrorKind::internal);
}

TYPED_TEST(Impulses, OfNoBeatAreNone) { EXPECT_TRUE(this->of(std::vector<float>(9, 1), {}).empty()); }

TYPED_TEST(Impulses, WithABadRuleThrow) {
  for (auto value : {&ImpulseRule::before, &ImpulseRule::lag, &ImpulseRule::top, &ImpulseRule::fall, &ImpulseRule::over,
                     &ImpulseRule::around, &ImpulseRule::behind, &ImpulseRule::reach, &ImpulseRule::change}) {
    ImpulseRule rule = kImpulseRule;
    rule.*value = 0;
    EXPECT_THROW_KIND(this->of(std::vector<float>(120), {60}, rule), ErrorKind::internal);
  }
}

}  // namespace
}  // namespace beatscan
