#include <algorithm>
#include <numbers>
#include <random>

#include "kernels/quality_index/compare_beats.h"
#include "kernels/quality_index/leakage.h"
#include "kernels/quality_index/local_medians.h"
#include "kernels/quality_index/measure_bands.h"
#include "kernels/quality_index/sampled.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan::quality_index {
namespace {

constexpr double kPi = std::numbers::pi;

std::vector<float> sine(double hz, double rate_hz, std::int64_t size, double height = 1) {
  std::vector<float> x(size);
  for (std::int64_t i = 0; i < size; ++i)
    x[i] = static_cast<float>(height * std::sin(2 * kPi * hz * static_cast<double>(i) / rate_hz));
  return x;
}

// All that is measured of values at 125 Hz.
struct Measured {
  std::vector<float> wave, qrs, envelope, measures;
  float of(Measure measure, std::int64_t block) const {
    return measures[measure * (std::ssize(measures) / kMeasures) + block];
  }
};

template <class Context>
class QualityBands : public OnBackend<Context> {
 protected:
  std::vector<float> sampled(const std::vector<float>& x, double rate_hz, std::int64_t count) {
    auto& context = this->context();
    Buffer<float, Context> y(context, count);
    sample_at_125_hz(context, from_host(context, x), sampling_table(context, rate_hz), y);
    return to_host(context, y);
  }
  // Measures the bands, what is usual with a step of 0.001, beats and leakage.
  Measured measured(const std::vector<float>& values) {
    auto& context = this->context();
    const std::int64_t count = std::ssize(values), blocks = count / kBlock;
    Buffer<float, Context> wave(context, count), qrs(context, count), envelope(context, count);
    std::vector<float> start(blocks * kMeasures, 0);
    for (std::int64_t b = 0; b < blocks; ++b) start[kStep * blocks + b] = 0.001F;
    auto measures = from_host(context, start);
    const Bands bands{wave, qrs, envelope};
    measure_bands(context, from_host(context, values), mains_table(context), bands, measures);
    compare_with_usual(context, measures);
    compare_beats(context, bands, measures);
    measure_leakage(context, wave, measures);
    return {to_host(context, wave), to_host(context, qrs), to_host(context, envelope), to_host(context, measures)};
  }
};
TYPED_TEST_SUITE(QualityBands, Backends, BackendNames);

TYPED_TEST(QualityBands, SamplingKeepsSlowWavesAtAnyRate) {
  for (const double rate_hz : {60.0, 125.0, 128.0, 250.0, 360.0, 999.5, 5000.0}) {
    SCOPED_TRACE(rate_hz);
    auto x = sine(7, rate_hz, static_cast<std::int64_t>(4 * rate_hz));
    for (float& value : x) value += 3;  // the first sample is taken off
    const auto y = this->sampled(x, rate_hz, 480);
    for (int k = 20; k < 460; ++k) EXPECT_NEAR(y[k], std::sin(2 * kPi * 7 * k / 125), 0.015) << k;
  }
}

TYPED_TEST(QualityBands, AConstantIsZeroAtAllSteps) {
  const auto y = this->sampled(std::vector<float>(2001, 0.3F), 333, 750);
  EXPECT_EQ(bits_of(y), bits_of(std::vector<float>(750, 0)));
  const Measured found = this->measured(y);
  for (const Measure measure : {kHeight, kHigh, kMuscle, kHighRoot, kWaveSquares, kMains, kRest, kTop, kNeighbour,
                                kTemplate, kLeakage})
    EXPECT_EQ(found.of(measure, 1), 0) << measure;
}

// A filter's edge is some Hz wide: bands are looked at far from their edges.
TYPED_TEST(QualityBands, HoldTheirFrequencies) {
  const auto in = [&](double hz) { return this->measured(sine(hz, 125, 2500)); };
  const auto at = [](const Measured& found, Measure measure) { return found.of(measure, 5); };
  EXPECT_LT(at(in(0.1), kHeight), 0.1F);
  EXPECT_GT(at(in(0.1), kBaselineRange), 0.9F);
  EXPECT_NEAR(at(in(5), kHeight), 2, 0.05);
  EXPECT_LT(at(in(5), kHigh), 0.005F);
  EXPECT_LT(at(in(5), kMuscle), 0.02F);
  EXPECT_NEAR(at(in(25), kMuscle), 2 / kPi, 0.06) << "mean of |sine|";
  EXPECT_NEAR(at(in(25), kMuscleRoot), std::sqrt(0.5), 0.07);
  EXPECT_GT(at(in(50), kHighRoot), 0.65F);
  EXPECT_GT(at(in(13), kTop), 0.5F);
  EXPECT_LT(at(in(2), kTop), 0.02F);
  for (const double hz : {50.0, 60.0}) EXPECT_NEAR(at(in(hz), kMains), 125.0 / 2 * 125 / 2, 40);
  EXPECT_LT(at(in(40), kMains), 1);
}

// The mean of a part is that of |sine| over two whole periods at 10 Hz; changes are as large as they are.
TYPED_TEST(QualityBands, MeasureABlock) {
  auto y = sine(10, 125, 1250);
  const Measured found = this->measured(y);
  EXPECT_NEAR(found.of(kWaveSquares, 2), 125, 2);
  EXPECT_NEAR(found.of(kRise, 2), 2 * std::sin(kPi * 10 / 125), 0.01);
  EXPECT_NEAR(found.of(kUsualHeight, 2), found.of(kHeight, 2), 0.02);
  EXPECT_NEAR(found.of(kLevel, 2), found.of(kTop, 2), 0.02);
  EXPECT_EQ(found.of(kLocalStep, 2), std::max(0.001F, found.of(kUsualHeight, 2) * kStepShare));
}

TYPED_TEST(QualityBands, LeakageIsSmallForASineAndLargeForSpikes) {
  for (const double hz : {3.0, 5.0, 7.0}) EXPECT_LT(this->measured(sine(hz, 125, 2500)).of(kLeakage, 5), 0.25F) << hz;
  std::vector<float> spikes(2500, 0);
  for (int i = 40; i < 2500; i += 97) spikes[i] = spikes[i + 1] = 1;
  EXPECT_GT(this->measured(spikes).of(kLeakage, 5), 0.75F);
}

// A beat: a bell of 24 ms. The wave of some beats is turned round.
std::vector<float> beats_at(const std::vector<int>& places, std::int64_t size, const std::vector<int>& turned = {}) {
  std::vector<float> y(size, 0);
  for (const int place : places) {
    const float sign = std::ranges::find(turned, place) == turned.end() ? 1.0F : -1.0F;
    for (int k = -12; k <= 12; ++k)
      if (place + k >= 0 && place + k < size)
        y[place + k] += sign * static_cast<float>(std::exp(-0.5 * k * k / 9.0) - 0.4 * std::exp(-0.5 * (k - 5) * (k - 5) / 6.0));
  }
  return y;
}

TYPED_TEST(QualityBands, AlikeBeatsAreAlike) {
  std::vector<int> places;
  for (int i = 60; i < 2450; i += 110) places.push_back(i);
  const Measured all = this->measured(beats_at(places, 2500));
  for (int b = 0; b < 10; ++b) {
    EXPECT_GT(all.of(kNeighbour, b), 0.99F) << b;
    EXPECT_GT(all.of(kTemplate, b), 0.99F) << b;
  }
  const Measured one = this->measured(beats_at(places, 2500, {60 + 110 * 10}));
  EXPECT_LT(one.of(kNeighbour, 4), 0.95F) << "one of seven beats around is not alike";
  EXPECT_GT(one.of(kNeighbour, 4), 0.6F);
  EXPECT_GT(one.of(kNeighbour, 0), 0.99F);
}

TYPED_TEST(QualityBands, BeatsOfNoiseAreNotAlike) {
  std::mt19937_64 random(5);
  std::normal_distribution<float> normal(0, 0.3F);
  std::vector<float> y(5000);
  for (float& value : y) value = normal(random);
  const Measured found = this->measured(y);
  for (int b = 0; b < 20; ++b) {
    EXPECT_LT(found.of(kNeighbour, b), 0.7F) << b;
    EXPECT_LT(found.of(kTemplate, b), 0.7F) << b;
  }
}

TYPED_TEST(QualityBands, OneBeatOrNoneHasNoNeighbour) {
  EXPECT_EQ(this->measured(beats_at({400}, 1000)).of(kNeighbour, 1), 0);
  EXPECT_EQ(this->measured(beats_at({}, 1000)).of(kNeighbour, 1), 0);
  const Measured two = this->measured(beats_at({5, 995}, 1000));  // beside the ends
  EXPECT_TRUE(std::isfinite(two.of(kNeighbour, 0)));
}

TYPED_TEST(QualityBands, RefuseBadShapes) {
  auto& context = this->context();
  Buffer<float, TypeParam> y(context, 260), measures(context, kMeasures), medians(context, 3);
  EXPECT_THROW_KIND(measure_bands(context, y, mains_table(context), {y, y, y}, measures), ErrorKind::internal);
  EXPECT_THROW_KIND(measure_leakage(context, y, measures), ErrorKind::internal);
  EXPECT_THROW_KIND(local_medians(context, measures, medians), ErrorKind::internal);
  EXPECT_THROW_KIND(sampling_table(context, 59), ErrorKind::internal);
}

// Medians of the definition, with values that do not count.
TYPED_TEST(QualityBands, LocalMediansMatchTheirDefinition) {
  auto& context = this->context();
  for (const std::int64_t blocks : {1, 2, 9, 10, 11, 299, 300, 301, 311, 1207}) {
    SCOPED_TRACE(shape_and_seed("blocks", blocks, 9));
    auto values = random_signal(blocks * kMeasures, 9, 50);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 7 == 3 ? NAN : std::abs(values[i]);
    for (std::int64_t b = 0; b < std::min<std::int64_t>(blocks, 400); ++b) values[kSteep * blocks + b] = NAN;
    Buffer<float, TypeParam> medians(context, 4 * groups_of(blocks));
    local_medians(context, from_host(context, values), medians);
    const auto found = to_host(context, medians);
    for (int m = 0; m < 4; ++m)
      for (std::int64_t g = 0; g < groups_of(blocks); ++g) {
        const std::int64_t start = std::max<std::int64_t>(0, std::min(10 * g - 145, blocks - 300));
        std::vector<float> near;
        for (std::int64_t b = start; b < std::min(start + 300, blocks); ++b)
          if (const float value = values[kWithMedian[m] * blocks + b]; !std::isnan(value)) near.push_back(value);
        std::ranges::sort(near);
        const std::size_t n = near.size();
        const float expected = n == 0 ? 0 : (near[(n - 1) / 2] + near[n / 2]) * 0.5F;
        ASSERT_EQ(found[m * groups_of(blocks) + g], expected) << m << " " << g;
      }
  }
}

}  // namespace
}  // namespace beatscan::quality_index
