// Tests how the noise around beats becomes a factor.
#include "kernels/detect/noise.h"

#include <cmath>

#include "kernels/runtime/buffer.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;
using Lengths = std::vector<std::int32_t>;

template <class Context>
class NoiseAroundBeats : public OnBackend<Context> {
 protected:
  Doubles local(const Doubles& r_peaks, const Doubles& powers, const Lengths& lengths, double reach) {
    auto& context = this->context();
    Buffer<double, Context> found(context, std::ssize(r_peaks));
    local_powers(context, from_host(context, r_peaks), from_host(context, powers), from_host(context, lengths), reach,
                 found);
    return to_host(context, found);
  }
  Doubles ranges(const Floats& means, std::int64_t width, const Doubles& r_peaks, const BaselinePlaces& places) {
    auto& context = this->context();
    Buffer<double, Context> found(context, std::ssize(r_peaks));
    baseline_ranges(context, from_host(context, means), width, from_host(context, r_peaks), places, found);
    return to_host(context, found);
  }
  Floats factors(const Doubles& powers, const Doubles& moves, UsualNoise usual, float most) {
    auto& context = this->context();
    Buffer<float, Context> found(context, std::ssize(powers));
    noise_factors(context, from_host(context, powers), from_host(context, moves), usual, most, found);
    return to_host(context, found);
  }
};
TYPED_TEST_SUITE(NoiseAroundBeats, Backends, BackendNames);

// The middles of the pauses are at 5, 15, 25 and 60.
TYPED_TEST(NoiseAroundBeats, PowersAreMeansOverTheNearPauses) {
  const auto found = this->local({0, 10, 20, 30, 90}, {2, 8, 30, 900}, {1, 2, 3, 4}, 15);
  EXPECT_EQ(found[0], (2.0 + 8) / (1 + 2));
  EXPECT_EQ(found[1], (2.0 + 8 + 30) / (1 + 2 + 3));
  EXPECT_EQ(found[2], (2.0 + 8 + 30) / (1 + 2 + 3));
  EXPECT_EQ(found[3], (8.0 + 30) / (2 + 3)) << "the middle of the last pause is 30 samples away";
  EXPECT_TRUE(std::isnan(found[4])) << "no pause is near";
}

TYPED_TEST(NoiseAroundBeats, EmptyPausesHaveNoPower) {
  const auto found = this->local({0, 10, 20}, {0, 12}, {0, 3}, 5);
  EXPECT_TRUE(std::isnan(found[0]));
  EXPECT_EQ(found[1], 4);
  EXPECT_TRUE(this->local({}, {}, {}, 1).empty());
  EXPECT_TRUE(std::isnan(this->local({7}, {}, {}, 1)[0]));
}

// Blocks of ten samples; a mean is of a block and one on either side.
TYPED_TEST(NoiseAroundBeats, RangesAreThoseOfTheBaseline) {
  const Floats means{0, 3, 6, 0, 0, 30, 0, 0, 0};
  const BaselinePlaces places{-20, 20, 3, 15};
  const auto found = this->ranges(means, 10, {35, 71, 5, 88}, places);
  EXPECT_EQ(found[0], 10 - 2) << "means around blocks 1, 3, 5: 3, 2, 10";
  EXPECT_EQ(found[1], 10 - 0) << "means around blocks 5, 7 and, beyond the end, 9";
  EXPECT_EQ(found[2], 3 - 0) << "means around blocks -2, 0 and 2: 0, 1, 3";
  EXPECT_EQ(found[3], 0 + 10) << "means around blocks 6, 8 and 10: 10, 0, 0";
}

TYPED_TEST(NoiseAroundBeats, ABlockAloneIsAMean) {
  EXPECT_EQ(this->ranges({5, 1, 7}, 4, {6}, {-4, 4, 3, 0}), (Doubles{6}));
  EXPECT_EQ(this->ranges({5}, 4, {2}, {-4, 4, 3, 100}), (Doubles{0}));
}

TYPED_TEST(NoiseAroundBeats, FactorsAreRootsOfTheExcess) {
  const Doubles powers{1, 2, 8, 8, 1e9, NAN, INFINITY}, moves{1, 3, 0, 30, 1e9, 12, 3};
  const auto found = this->factors(powers, moves, {2, 3}, 8);
  EXPECT_EQ(found, (Floats{1, 1, 2, std::sqrt(4.0f * 10), 8, 2, 8}));
}

// A CPU thread takes 4,096 beats, a Cuda block 256.
TYPED_TEST(NoiseAroundBeats, MatchTheirDefinitionsOnManyBeats) {
  for (const int beats : {1, 255, 256, 257, 4096, 9001}) {
    SCOPED_TRACE(beats);
    std::mt19937 random(static_cast<unsigned>(beats));
    Doubles r_peaks, powers;
    Lengths lengths;
    double at = 0;
    for (int i = 0; i < beats; ++i) {
      r_peaks.push_back(at += 1 + static_cast<double>(random() % 100));
      if (i == 0) continue;
      powers.push_back(static_cast<double>(random() % 1000));
      lengths.push_back(static_cast<std::int32_t>(random() % 50));
    }
    const auto found = this->local(r_peaks, powers, lengths, 300);
    for (int i = 0; i < beats; i += 1 + beats / 500) {
      double power = 0, length = 0;
      for (int k = 0; k + 1 < beats; ++k)
        if (std::abs(0.5 * (r_peaks[k] + r_peaks[k + 1]) - r_peaks[i]) <= 300) power += powers[k], length += lengths[k];
      if (length > 0)
        ASSERT_EQ(found[i], power / length) << i << "; sums of whole numbers are exact";
      else
        ASSERT_FALSE(std::isfinite(found[i])) << i;
    }
  }
}

TYPED_TEST(NoiseAroundBeats, BadShapesThrow) {
  EXPECT_THROW_KIND(this->local({1, 2}, {1, 2}, {1, 2}, 1), ErrorKind::internal);
  EXPECT_THROW_KIND(this->local({1, 2}, {1}, {1}, -1), ErrorKind::internal);
  EXPECT_THROW_KIND(this->ranges({}, 4, {1}, {0, 1, 1, 0}), ErrorKind::internal);
  EXPECT_THROW_KIND(this->ranges({1}, 0, {1}, {0, 1, 1, 0}), ErrorKind::internal);
  EXPECT_THROW_KIND(this->factors({1}, {1}, {0, 1}, 8), ErrorKind::internal);
  EXPECT_THROW_KIND(this->factors({1}, {1, 2}, {1, 1}, 8), ErrorKind::internal);
  EXPECT_THROW_KIND(this->factors({1}, {1}, {1, 1}, 0.5f), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
