#include "kernels/rhythm/early_beats.h"

#include <cmath>

#include "kernels/runtime/buffer.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

using Doubles = std::vector<double>;
using Flags = std::vector<std::uint8_t>;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Returns [K][2] of which the second is not looked at.
Doubles in_pairs(const Doubles& values) {
  Doubles pairs;
  for (const double value : values) pairs.insert(pairs.end(), {value, -77});
  return pairs;
}

template <class Context>
class EarlyBeatKernels : public OnBackend<Context> {
 protected:
  Doubles rr(const Doubles& r_peaks, const Flags& broken) {
    auto& context = this->context();
    Buffer<double, Context> found(context, std::ssize(r_peaks));
    rr_intervals(context, from_host(context, r_peaks), from_host(context, broken), found);
    return to_host(context, found);
  }
  std::pair<Doubles, Flags> changes(const Doubles& rr, const Doubles& local) {
    auto& context = this->context();
    Buffer<double, Context> found(context, std::ssize(rr));
    Buffer<std::uint8_t, Context> known(context, std::ssize(rr));
    rr_changes(context, from_host(context, rr), from_host(context, in_pairs(local)), found, known);
    return {to_host(context, found), to_host(context, known)};
  }
  Flags first(const Doubles& rr, const Doubles& local, const Doubles& changes, const std::vector<float>& ratio) {
    auto& context = this->context();
    Buffer<std::uint8_t, Context> found(context, std::ssize(rr));
    first_early(context, from_host(context, rr), from_host(context, in_pairs(local)),
                from_host(context, in_pairs(changes)), from_host(context, ratio), {0.84, 0.75, 6}, found);
    return to_host(context, found);
  }
  Flags accepted(const Doubles& rr, const Flags& aside, const Flags& early) {
    auto& context = this->context();
    Buffer<std::uint8_t, Context> found(context, std::ssize(rr));
    accept_intervals(context, from_host(context, rr), from_host(context, aside), from_host(context, early), found);
    return to_host(context, found);
  }
  Doubles deviations(const Doubles& rr, const Doubles& reference, const std::vector<std::int64_t>& places) {
    auto& context = this->context();
    Buffer<double, Context> found(context, std::ssize(places));
    rr_deviations(context, from_host(context, rr), from_host(context, in_pairs(reference)), from_host(context, places),
                  found);
    return to_host(context, found);
  }
  Flags judged(const Doubles& rr, const Doubles& reference, const Doubles& deviation, const Flags& aside,
               const Flags& early, EarlyRule rule = {0.08, 0.5, 0.6, 0.28, 4}) {
    auto& context = this->context();
    const auto rr_there = from_host(context, rr), usual = from_host(context, in_pairs(reference)),
               scatter = from_host(context, in_pairs(deviation));
    const auto aside_there = from_host(context, aside), early_there = from_host(context, early);
    Buffer<std::uint8_t, Context> found(context, std::ssize(rr));
    judge_early(context, {rr_there, usual, scatter, aside_there, early_there}, rule, found);
    return to_host(context, found);
  }
};
TYPED_TEST_SUITE(EarlyBeatKernels, Backends, BackendNames);

TYPED_TEST(EarlyBeatKernels, IntervalsByHand) {
  const auto found = this->rr({1, 3, 7, 8}, {0, 1, 0});
  EXPECT_TRUE(std::isnan(found[0]) && std::isnan(found[2]));
  EXPECT_EQ(found[1], 2);
  EXPECT_EQ(found[3], 1);
  EXPECT_TRUE(this->rr({}, {}).empty());
}

// The interval is compared with the three before it, as far as they are known.
TYPED_TEST(EarlyBeatKernels, ChangesByHand) {
  const auto [changes, known] = this->changes({kNone, 1, 4, 4.5, kNone, 1.25, 9}, {2, 2, 2, 2, 2, 0.5, kNone});
  EXPECT_EQ(known, (Flags{0, 0, 1, 1, 0, 1, 0}));
  EXPECT_EQ(changes[2], 1.5);
  EXPECT_EQ(changes[3], 0.25);
  EXPECT_EQ(changes[5], 2 * 2.75);
}

TYPED_TEST(EarlyBeatKernels, FirstEarlyByHand) {
  const auto found = this->first({0.83, 0.85, 0.83, kNone, 0.9, 0.9, 0.83}, Doubles(7, 1),
                                 {0, 0, 0.03, 0, 0, 0.05, kNone}, {1, 1, 1, NAN, 0.74f, 0.74f, 0.5f});
  EXPECT_EQ(found, (Flags{1, 0, 0, 0, 1, 0, 0}));
}

TYPED_TEST(EarlyBeatKernels, AcceptedByHand) {
  const Doubles rr{1, 1, 1, kNone, 1, 1, 1, 1};
  EXPECT_EQ(this->accepted(rr, {0, 0, 0, 0, 0, 1, 0, 0}, {0, 0, 1, 0, 0, 0, 0, 0}), (Flags{0, 1, 0, 0, 1, 0, 0, 1}));
  EXPECT_EQ(this->accepted(rr, Flags(8, 0), {}), (Flags{0, 1, 1, 0, 1, 1, 1, 1}));
}

TYPED_TEST(EarlyBeatKernels, DeviationsByHand) {
  EXPECT_EQ(this->deviations({1, 3, 2}, {2, 2, 2}, {0, 1}), (Doubles{0.5, 0.5}));
}

// Beat 2 comes 0.2 early, 0.2 less than the interval before, and a pause of 0.25 follows: 0.2 + 0.125 + 0.12 = 0.445.
TYPED_TEST(EarlyBeatKernels, JudgedByHand) {
  const Doubles rr{kNone, 1, 0.8, 1.25, 1};
  const auto judged = [&](double least, double scatter, const Flags& aside, const Flags& early) {
    return this->judged(rr, Doubles(5, 1), Doubles(5, scatter), aside, early, {0.08, 0.5, 0.6, least, 4})[2];
  };
  const Flags none(5, 0);
  EXPECT_TRUE(judged(0.444, 0, none, none));
  EXPECT_FALSE(judged(0.446, 0, none, none));
  EXPECT_FALSE(judged(0.28, 0.445 / 4 / 1.48, none, none)) << "the rhythm is irregular";
  EXPECT_FALSE(judged(0.28, 0, {0, 0, 1, 0, 0}, none)) << "it is set aside";
  EXPECT_TRUE(judged(0.324, 0, {0, 1, 0, 0, 0}, none)) << "without a term for the change";
  EXPECT_FALSE(judged(0.326, 0, {0, 1, 0, 0, 0}, none));
}

// After an early beat the interval may be longer than the one before, without being less early for it.
TYPED_TEST(EarlyBeatKernels, ARunIsNotPunishedForItsSecondBeat) {
  const Doubles rr{kNone, 0.6, 0.7, 0.7};
  const EarlyRule rule{0.08, 0.5, 0.6, 0.29, 4};
  EXPECT_TRUE(this->judged(rr, Doubles(4, 1), Doubles(4, 0), Flags(4, 0), {0, 1, 0, 0}, rule)[2]);
  EXPECT_FALSE(this->judged(rr, Doubles(4, 1), Doubles(4, 0), Flags(4, 0), Flags(4, 0), rule)[2]);
}

TYPED_TEST(EarlyBeatKernels, TakeTheFirstOfEachPair) {
  auto& context = this->context();
  for (const std::int64_t beats : sizes_around(256)) {
    const auto values = random_signal<double>(beats, beats, 401);
    Buffer<double, TypeParam> firsts(context, beats);
    first_of_pairs(context, from_host(context, in_pairs(values)), firsts);
    EXPECT_EQ(to_host(context, firsts), values);
  }
  Buffer<double, TypeParam> firsts(context, 2);
  EXPECT_THROW_KIND(first_of_pairs(context, from_host(context, Doubles(3)), firsts), ErrorKind::internal);
}

TYPED_TEST(EarlyBeatKernels, SizesAroundABlock) {
  for (const std::int64_t beats : sizes_around(256)) {
    SCOPED_TRACE(shape_and_seed("beats", beats, beats));
    const auto steps = random_signal<double>(beats, beats, 401);
    Doubles r_peaks{0};
    Flags broken, aside, early;
    for (std::int64_t i = 0; i < beats; ++i) {
      if (i > 0) {
        r_peaks.push_back(r_peaks.back() + 300 + steps[i]);
        broken.push_back(steps[i] > 95);
      }
      aside.push_back(steps[i] < -95);
      early.push_back(steps[i] < -50);
    }
    const auto rr = this->rr(r_peaks, broken);
    const auto accepted = this->accepted(rr, aside, early);
    const auto judged = this->judged(rr, Doubles(beats, 310), Doubles(beats, 0.01), aside, early);
    const auto changes = this->changes(rr, Doubles(beats, 310)).first;
    for (std::int64_t i = 0; i < beats; ++i) {
      const bool known = i > 0 && !broken[i - 1];
      ASSERT_EQ(std::isfinite(rr[i]), known) << i;
      ASSERT_EQ(accepted[i], known && !aside[i] && !aside[i - 1] && !early[i] && !early[i - 1]) << i;
      double least = INFINITY;
      for (std::int64_t j = 1; j <= std::min<std::int64_t>(3, i); ++j)
        least = std::fmin(least, std::abs(rr[i] - rr[i - j]));
      if (known && std::isfinite(least)) {
        ASSERT_EQ(changes[i], least / 310) << i;
      }
      if (!known || aside[i]) {
        ASSERT_FALSE(judged[i]) << i;
      }
    }
  }
}

TYPED_TEST(EarlyBeatKernels, BadShapesThrow) {
  EXPECT_THROW_KIND(this->rr({1, 2}, {}), ErrorKind::internal);
  EXPECT_THROW_KIND(this->changes({1, 2}, {1}), ErrorKind::internal);
  EXPECT_THROW_KIND(this->accepted({1, 2}, {0}, {0, 0}), ErrorKind::internal);
  EXPECT_THROW_KIND(this->judged({1, 2}, {1}, {1, 1}, {0, 0}, {0, 0}), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
