#include "kernels/windows/centred_rows.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

using Floats = std::vector<float>;

// --- the filter ---

constexpr double kSigmas[] = {0.1, 0.4, 1, 3, 12.5};

double weight(const RowFilter& filter, int phase, int tap) { return filter.weights[phase * filter.taps + tap]; }

TEST(RowFilter, HasEvenTapsAndWeightsOfSumOne) {
  for (const double sigma : kSigmas) {
    SCOPED_TRACE(sigma);
    const auto filter = row_filter(sigma);
    EXPECT_EQ(filter.taps % 2, 0);
    EXPECT_GE(filter.taps, 6 * sigma);
    ASSERT_EQ(std::ssize(filter.weights), (kRowPhases + 1) * filter.taps);
    for (int phase = 0; phase <= kRowPhases; ++phase) {
      double sum = 0;
      for (int tap = 0; tap < filter.taps; ++tap) sum += weight(filter, phase, tap);
      EXPECT_NEAR(sum, 1, 1e-6) << phase;  // at most 76 roundings of 3e-8 times the weight
    }
  }
}

// Tap k of phase f is k - (taps / 2 - 1) - f / 64 samples from the place. Quotients of weights are those of Gaussians.
TEST(RowFilter, WeightsAreGaussians) {
  for (const double sigma : {0.4, 1.0, 3.0, 12.5}) {
    SCOPED_TRACE(sigma);
    const auto filter = row_filter(sigma);
    const int middle = filter.taps / 2 - 1;
    for (const int phase : {0, 1, 17, 32, kRowPhases})
      for (int tap = 0; tap < filter.taps; ++tap) {
        const double d = tap - middle - phase / 64.0, d0 = phase / 64.0;
        const double expected = std::exp(-0.5 * (d * d - d0 * d0) / (sigma * sigma));
        EXPECT_NEAR(weight(filter, phase, tap) / weight(filter, phase, middle) / expected, 1, 1e-6);  // two roundings
      }
  }
}

TEST(RowFilter, IsTheSameBackwards) {
  for (const double sigma : kSigmas) {
    const auto filter = row_filter(sigma);
    for (int phase = 0; phase <= kRowPhases; ++phase)
      for (int tap = 0; tap < filter.taps; ++tap)
        ASSERT_NEAR(weight(filter, phase, tap), weight(filter, kRowPhases - phase, filter.taps - 1 - tap), 1e-7)
            << sigma;
  }
}

// A Gaussian's gain at f cycles a sample is exp(-2 (pi f sigma)^2). The part that is cut off is 0.3 % of its sum.
TEST(RowFilter, IsALowPass) {
  for (const double sigma : {1.0, 3.0, 12.5}) {
    const auto filter = row_filter(sigma);
    for (const double f : {0.02, 0.05, 0.1}) {
      double gain = 0;
      for (int tap = 0; tap < filter.taps; ++tap)
        gain += weight(filter, 32, tap) * std::cos(2 * std::numbers::pi * f * (tap - filter.taps / 2 + 0.5));
      EXPECT_NEAR(gain, std::exp(-2 * std::pow(std::numbers::pi * f * sigma, 2)), 0.006) << sigma << " " << f;
    }
  }
}

// --- rows ---

// The arguments of a call. Places are whole 256ths of a sample, so that they and the filter's phases are exact.
struct Call {
  Floats signal, baseline;
  std::int64_t width = 1;
  std::vector<double> centres;
  RowPlaces places{0, 1};
  RowFilter filter;
  float factor = 1;
  Floats offset;
  std::int64_t points = 1;
};

// Returns a filter that gives the straight line between two samples.
RowFilter straight_line() {
  RowFilter filter{.taps = 2};
  for (int phase = 0; phase <= kRowPhases; ++phase) {
    const float f = static_cast<float>(phase) / kRowPhases;
    filter.weights.insert(filter.weights.end(), {1 - f, f});
  }
  return filter;
}

double smooth(const Call& call, double p) {
  const auto whole = static_cast<std::int64_t>(std::floor(p));
  const auto phase = static_cast<int>(std::floor((p - std::floor(p)) * kRowPhases + 0.5));
  double sum = 0;
  for (int k = 0; k < call.filter.taps; ++k) {
    const std::int64_t i = whole + k - (call.filter.taps / 2 - 1);
    sum += weight(call.filter, phase, k) * call.signal[std::clamp<std::int64_t>(i, 0, std::ssize(call.signal) - 1)];
  }
  return sum;
}

// Block i has its centre at i width + (width - 1) / 2.
double base(const Call& call, double p) {
  const auto last = std::ssize(call.baseline) - 1;
  const double q = (p - static_cast<double>(call.width - 1) / 2) / static_cast<double>(call.width);
  if (q <= 0) return call.baseline.front();
  if (q >= static_cast<double>(last)) return call.baseline.back();
  const auto i = static_cast<std::int64_t>(q);
  return std::lerp(call.baseline[i], call.baseline[i + 1], q - static_cast<double>(i));
}

std::vector<double> expected_row(const Call& call, double centre) {
  std::vector<double> row(call.points);
  std::vector<std::int64_t> inside;
  double sum = 0, offset_sum = 0;
  const auto offset = [&](std::int64_t j) { return call.offset.empty() ? 0.0 : call.offset[j]; };
  for (std::int64_t j = 0; j < call.points; ++j) {
    const double p = centre - call.places.before + static_cast<double>(j) * call.places.step;
    if (p < 0 || p > static_cast<double>(std::ssize(call.signal) - 1)) continue;
    inside.push_back(j);
    sum += row[j] = smooth(call, p) - base(call, p);
    offset_sum += offset(j);
  }
  const auto count = static_cast<double>(inside.size());
  if (std::ssize(inside) == call.points) offset_sum = 0;  // the offset's own mean over all points is kept
  for (const auto j : inside) row[j] = call.factor * (row[j] - sum / count) - (offset(j) - offset_sum / count);
  return row;
}

template <class Context>
class CentredRows : public OnBackend<Context> {
 protected:
  Floats rows(const Call& call) { return rows(call, std::ssize(call.centres) * call.points); }
  Floats rows(const Call& call, std::int64_t size) {
    auto& context = this->context();
    auto found = from_host(context, Floats(size, NAN));
    centred_rows(context, from_host(context, call.signal), from_host(context, call.baseline), call.width,
                 from_host(context, call.centres), call.places, call.filter, call.factor,
                 from_host(context, call.offset), call.points, found);
    return to_host(context, found);
  }
  Floats means(const Floats& x, std::int64_t width) {
    auto& context = this->context();
    Buffer<float, Context> found(context, (std::ssize(x) + width - 1) / width);
    block_means(context, from_host(context, x), width, found);
    return to_host(context, found);
  }
  // The rows are 0.45 s long at 360 Hz, less a baseline of block means.
  Call usual_call(const Floats& signal) {
    return {.signal = signal,
            .baseline = means(signal, 16),
            .width = 16,
            .centres = {400, 512.25, 700.75, 1003.5},
            .places = {54, 0.625},
            .filter = row_filter(1.2),
            .points = 256};
  }
};
TYPED_TEST_SUITE(CentredRows, Backends, BackendNames);

TYPED_TEST(CentredRows, ByHand) {
  Call call{.signal = {0, 1, 4, 9, 16}, .baseline = Floats(5, 0.0f), .centres = {2}, .filter = straight_line()};
  call.places = {1, 0.5};
  call.points = 4;
  EXPECT_EQ(this->rows(call), (Floats{-2.5f, -1, 0.5f, 3})) << "1, 2.5, 4, 6.5 less their mean";
  call.factor = 2;
  call.offset = {1, 1, 1, 10};
  EXPECT_EQ(this->rows(call), (Floats{-6, -3, 0, -4}));
  call = {.signal = call.signal, .baseline = call.baseline, .centres = {0, 4}, .filter = straight_line()};
  call.places = {1, 1};
  call.points = 3;
  EXPECT_EQ(this->rows(call), (Floats{0, -0.5f, 0.5f, -3.5f, 3.5f, 0})) << "of what is within: 0, 1 and 9, 16";
  call.offset = {1, 2, 6};
  EXPECT_EQ(this->rows(call), (Floats{0, -0.5f + 2, 0.5f - 2, -3.5f + 0.5f, 3.5f - 0.5f, 0}))
      << "less the offset's 2, 6 and 1, 2 without their means";
}

TYPED_TEST(CentredRows, TheBaselineIsALineBetweenBlockCentres) {
  Call call{.signal = Floats(4, 0.0f), .baseline = {10, 20}, .width = 2, .centres = {1.5}, .filter = straight_line()};
  call.places = {1.5, 0.5};
  call.points = 7;  // at 0, 0.5 .. 3 the baseline is 10, 10, 12.5, 15, 17.5, 20, 20
  EXPECT_EQ(this->rows(call), (Floats{5, 5, 2.5f, 0, -2.5f, -5, -5}));
}

TYPED_TEST(CentredRows, SmallestAndNone) {
  Call call{.signal = {3}, .baseline = {1}, .width = 5, .centres = {0}, .filter = row_filter(1), .offset = {0.5f}};
  EXPECT_EQ(this->rows(call), (Floats{-0.5f})) << "one point is its own mean";
  call.centres.clear();
  EXPECT_EQ(this->rows(call), Floats{});
}

// A Cuda block makes 8 rows, a lane of it every 32nd point, and a CPU thread 64 rows. Signals have one sample or more,
// centres may lie outside, and phases have ties. Values and baselines of up to 1.5 are rounded some tens of times by
// 3 * 6e-8.
TYPED_TEST(CentredRows, MatchTheirDefinition) {
  for (const std::int64_t count : {1, 7, 8, 9, 47, 127, 128, 129, 330})
    for (const std::int64_t points : {1, 31, 32, 33, 100})
      for (const std::int64_t n : {1, 2, 37, 3000}) {
        const std::uint64_t seed = n + points * 5000 + count;
        SCOPED_TRACE(testing::Message() << shape_and_seed("n", n, seed) << " count=" << count << " points=" << points);
        Call call{.signal = random_signal(n, seed), .width = 1 + static_cast<std::int64_t>(seed % 14)};
        call.baseline = random_signal((n + call.width - 1) / call.width, seed + 1);
        std::mt19937_64 random(seed);
        for (std::int64_t b = 0; b < count; ++b)
          call.centres.push_back(static_cast<double>(random() % (256 * (n + 40))) / 256 - 20);
        call.places = {12.375, 0.6328125};
        call.filter = row_filter(0.4 + 3 * static_cast<double>(seed % 3));
        call.factor = 0.75f;
        if (seed % 2) call.offset = random_signal(points, seed + 2);
        call.points = points;
        const auto found = this->rows(call);
        for (std::int64_t b = 0; b < count; ++b) {
          const auto expected = expected_row(call, call.centres[b]);
          for (std::int64_t j = 0; j < points; ++j)
            ASSERT_NEAR(found[b * points + j], expected[j], 1e-5) << b << " " << j;
        }
      }
}

// Points far from the ends of the signal are computed side by side, others one by one.
TEST(CentredRowsOnCpu, GiveTheBitsOfSinglePoints) {
  Cpu cpu;
  for (const double sigma : {0.5, 0.9, 1.2, 3.0})
    for (const std::int64_t points : {1, 3, 63, 64, 65, 256}) {
      SCOPED_TRACE(testing::Message() << "sigma=" << sigma << " points=" << points);
      const auto signal = random_signal(2000, points), baseline = random_signal(125, points + 1);
      const auto filter = row_filter(sigma);
      const RowPlaces places{80.3, 0.97};
      std::vector<double> centres;
      for (int b = 0; b < 60; ++b) centres.push_back(34.77 * b);
      Floats found(centres.size() * points);
      centred_rows(cpu, signal, baseline, 16, centres, places, filter, 1.5f, {}, points, found);
      const RowPoint<> point{signal.data(),         2000,        baseline.data(), 125, 16,
                             filter.weights.data(), filter.taps, filter.taps,     1};
      for (std::size_t b = 0; b < centres.size(); ++b) {
        const double start = centres[b] - places.before;
        const PointsInside inside(start, places.step, 2000, points);
        Floats expected(points, 0.0f);
        float sum = 0;
        for (auto j = inside.begin; j < inside.end; ++j)
          sum += expected[j] = point(start + static_cast<double>(j) * places.step);
        const float mean = sum / static_cast<float>(inside.count());
        for (auto j = inside.begin; j < inside.end; ++j) expected[j] = 1.5f * (expected[j] - mean);
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), found.begin() + b * points)) << b;
      }
    }
}

// Neither factors that are powers of two nor signs change any digits.
TYPED_TEST(CentredRows, GainIsKeptExactly) {
  const auto x = random_signal(1200, 5, 2001);
  auto expected = this->rows(this->usual_call(x));
  for (const float gain : {4.0f, -0.5f}) {
    auto y = x;
    for (float& value : y) value *= gain;
    auto scaled = expected;
    for (float& value : scaled) value *= gain;
    EXPECT_EQ(this->rows(this->usual_call(y)), scaled) << gain;
  }
}

// Values of up to 2 become values of up to 34, whose steps are 4e-6. Some of them are rounded, and then averaged.
TYPED_TEST(CentredRows, OffsetsDoNotMatter) {
  auto x = random_signal(1200, 6, 9);
  const auto expected = this->rows(this->usual_call(x));
  for (float& value : x) value += 32;
  const auto found = this->rows(this->usual_call(x));
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 4e-5) << i;
}

TYPED_TEST(CentredRows, MoveWithTheSignal) {
  const auto x = random_signal(1200, 7, 9);
  auto moved = random_signal(160, 8, 9);  // ten whole blocks
  moved.insert(moved.end(), x.begin(), x.end());
  auto call = this->usual_call(moved);
  for (double& centre : call.centres) centre += 160;
  EXPECT_EQ(this->rows(call), this->rows(this->usual_call(x)));
}

TYPED_TEST(CentredRows, RefuseBadShapes) {
  const Call good{
      .signal = Floats(10, 1.0f), .baseline = {1, 1, 1}, .width = 4, .centres = {5}, .filter = row_filter(1)};
  EXPECT_NO_THROW(this->rows(good));
  const auto refuses = [&](auto&& change) {
    Call call = good;
    change(call);
    EXPECT_THROW_KIND(this->rows(call), ErrorKind::internal);
  };
  refuses([](Call& call) { call.baseline.pop_back(); });
  refuses([](Call& call) { call.width = 3; });
  refuses([](Call& call) { call.width = 0; });
  refuses([](Call& call) { call.offset = {1, 2}; });
  refuses([](Call& call) { call.filter.weights.pop_back(); });
  refuses([](Call& call) { call.places.step = 0; });
  refuses([](Call& call) { call.points = 0; });
  refuses([](Call& call) { call.signal = call.baseline = {}; });
  EXPECT_THROW_KIND(this->rows(good, 2), ErrorKind::internal) << "more than one row of one point";
}

TEST(CentredRowsOnCpu, SameBitsForAnyNumberOfThreads) {
  const auto x = random_signal(20'000, 9, 2001);
  const auto run = [&](int threads) {
    Cpu cpu(threads);
    std::vector<double> centres;
    for (int i = 0; i < 500; ++i) centres.push_back(40.3 * i);
    Floats baseline(20'000), rows(500 * 32);
    block_means(cpu, x, 1, baseline);
    centred_rows(cpu, x, baseline, 1, centres, {10.1, 0.7}, row_filter(2), 1, {}, 32, rows);
    return rows;
  };
  EXPECT_EQ(run(1), run(5));
}

}  // namespace
}  // namespace beatscan
