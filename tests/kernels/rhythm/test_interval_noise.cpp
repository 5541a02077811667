#include "kernels/rhythm/quiet_intervals.h"

#include <cmath>

#include "kernels/runtime/buffer.h"
#include "kernels/runtime/error.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

const IntervalNoiseRule kIntervalNoiseRule{10, 20, 2, 5, 8};

template <class Context>
class NoiseOfIntervals : public OnBackend<Context> {
 protected:
  std::vector<IntervalNoise> of(const std::vector<float>& samples, const std::vector<double>& r_peaks,
                                const std::vector<std::int64_t>& asked,
                                const IntervalNoiseRule& rule = kIntervalNoiseRule) {
    auto& context = this->context();
    Buffer<IntervalNoise, Context> found(context, std::ssize(asked));
    interval_noise(context, from_host(context, samples), from_host(context, r_peaks), from_host(context, asked), rule,
                   found);
    return to_host(context, found);
  }
};
TYPED_TEST_SUITE(NoiseOfIntervals, Backends, BackendNames);

// Beats at 50, 100, 150, 350, 400 and 450 of 500 samples. Interval 2 is the long one.
const std::vector<double> kNoisePeaks{50, 100, 150, 350, 400, 450};

// Zigzag of the height `own` in the long interval and `usual` elsewhere; a ramp of 0.01 a sample in the long one.
std::vector<float> zigzag(float own, float usual, float slope = 0) {
  std::vector<float> x(500);
  for (int i = 0; i < 500; ++i) {
    const bool is_long = i >= 150 && i < 350;
    x[i] = (i % 4 < 2 ? 1.0F : -1.0F) * (is_long ? own : usual) + (is_long ? slope * static_cast<float>(i - 150) : 0);
  }
  return x;
}

TYPED_TEST(NoiseOfIntervals, ByHand) {
  const auto found = this->of(zigzag(3, 1), kNoisePeaks, {2})[0];
  EXPECT_FLOAT_EQ(found.mains, 12) << "two samples farther on the sign is another: 4 times the height";
  EXPECT_FLOAT_EQ(found.mains_around, 4);
  EXPECT_LT(found.drift_around, 0.2);
  const auto ramp = this->of(zigzag(0, 0, 0.01F), kNoisePeaks, {2})[0];
  EXPECT_NEAR(ramp.mains, 0, 1e-5);
  EXPECT_NEAR(ramp.drift, 0.01 * 165, 1e-4) << "of pieces of 5 samples from 170 to 340, the first and the last";
  EXPECT_EQ(ramp.drift_around, 0);
}

TYPED_TEST(NoiseOfIntervals, TheEndsOfTheRecording) {
  auto x = zigzag(1, 1);
  for (int i = 0; i < 40; ++i) x[i] = 0;
  const auto found = this->of(x, kNoisePeaks, {-1, 5});
  EXPECT_EQ(found[0].mains, 0) << "up to 10 samples before the first beat";
  EXPECT_FLOAT_EQ(found[0].mains_around, 4);
  EXPECT_FLOAT_EQ(found[1].mains, 4) << "from 20 samples after the last beat on";
}

TYPED_TEST(NoiseOfIntervals, NothingAroundIsNotKnown) {
  const auto found = this->of(zigzag(1, 1), {150, 350}, {0})[0];
  EXPECT_TRUE(std::isnan(found.mains_around) && std::isnan(found.drift_around));
  EXPECT_EQ(this->of(zigzag(1, 1), kNoisePeaks, {}).size(), 0U);
}

TYPED_TEST(NoiseOfIntervals, ABadRuleThrows) {
  EXPECT_THROW_KIND(this->of({1, 2}, {0, 1}, {0}, {0, 0, 0, 1, 1}), ErrorKind::internal);
  EXPECT_THROW_KIND(this->of({1, 2}, {0, 1}, {0}, {0, 0, 1, 1, kMostNoiseBeats + 1}), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
