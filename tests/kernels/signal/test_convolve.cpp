#include "kernels/signal/convolve.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/signal/wavelets.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"
#include "tests/support/test_stride.h"

namespace beatscan {
namespace {

template <class Context>
class Convolve : public OnBackend<Context> {
 protected:
  template <class Real>
  std::vector<Real> run(const std::vector<float>& signal, const std::vector<double>& taps,
                        const ConvolveOptions& options) {
    const auto device_signal = from_host(this->context(), signal);
    return to_host(this->context(), convolve<Real>(this->context(), device_signal, taps, options));
  }
  template <class Real>
  std::vector<Real> run(const std::vector<float>& signal, const std::vector<double>& taps, int lead) {
    return run<Real>(signal, taps, ConvolveOptions{.lead = lead});
  }
};
TYPED_TEST_SUITE(Convolve, Backends, BackendNames);

// A part of a response has the same bits as in the whole response. It needs no more of the signal than convolve_reads()
// says.
TYPED_TEST(Convolve, APartIsThatOfTheWhole) {
  auto& context = this->context();
  for (const std::int64_t n : {200, 5'000, 40'000})
    for (const int width : {1, 31, 301}) {
      const auto x = random_signal(n, n + width, 1000);
      std::vector<double> taps(width);
      for (int j = 0; j < width; ++j) taps[j] = std::sin(0.3 * j + 1);
      for (const ConvolveOptions& options :
           {ConvolveOptions{.lead = width / 2, .beyond = Beyond::last_value, .rectify = true},
            ConvolveOptions{.lead = 0, .beyond = Beyond::zeros},
            ConvolveOptions{.lead = width - 1, .beyond = Beyond::zeros}}) {
        if (left_out()) continue;
        const auto all = this->template run<float>(x, taps, options);
        for (const Stretch wanted : {Stretch{0, n}, Stretch{0, 1}, Stretch{n - 1, n}, Stretch{n / 3, n / 3},
                                     Stretch{n / 3, n / 2 + 7}, Stretch{n / 5, n}}) {
          SCOPED_TRACE(testing::Message() << "n=" << n << " width=" << width << " lead=" << options.lead << " from "
                                          << wanted.first << " to " << wanted.last);
          const Stretch reads = convolve_reads(context, n, width, options, wanted);
          const auto needed = from_host(context, std::vector<float>(x.begin() + reads.first, x.begin() + reads.last));
          const auto found = to_host(context, convolve_part(context, {needed, reads.first, n}, taps, options, wanted));
          ASSERT_EQ(bits_of(found), bits_of({all.begin() + wanted.first, all.begin() + wanted.last}));
        }
      }
    }
}

TYPED_TEST(Convolve, APartNeedsItsSamples) {
  auto& context = this->context();
  const auto some = from_host(context, std::vector<float>(100));
  const std::vector<double> taps(11, 1.0);
  const ConvolveOptions options{.lead = 5, .beyond = Beyond::zeros};
  EXPECT_THROW_KIND(convolve_part(context, {some, 50, 100'000}, taps, options, {0, 60}), ErrorKind::internal);
  EXPECT_THROW_KIND(convolve_part(context, {some, 0, 100}, taps, options, {90, 101}), ErrorKind::internal);
  EXPECT_THROW_KIND(convolve_part(context, {some, 0, 100}, taps, {.lead = 5}, {10, 20}), ErrorKind::internal)
      << "from the other end";
}

std::vector<long double> expected_response(const std::vector<float>& x, const std::vector<double>& taps, int lead) {
  const auto n = std::ssize(x);
  std::vector<long double> response(n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < std::ssize(taps); ++j)
      response[i] += static_cast<long double>(taps[j]) * x[((i + lead - j) % n + n) % n];
  return response;
}

// Relative to the largest value, float32 transforms err by a few 2^-24 times the root of log N, and float64 ones by
// 2^-53.
template <class Real>
constexpr double kTolerance = std::is_same_v<Real, float> ? 1e-5 : 1e-12;

template <class Real>
void expect_near(const std::vector<Real>& response, const std::vector<long double>& expected) {
  ASSERT_EQ(response.size(), expected.size());
  long double largest = 0, error = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    largest = std::max(largest, std::fabs(expected[i]));
    const long double difference = std::fabs(response[i] - expected[i]);
    if (!(difference <= error)) error = difference;  // once it is NaN, the error stays NaN
  }
  EXPECT_LE(error, kTolerance<Real> * largest) << (std::is_same_v<Real, float> ? "float" : "double");
}

std::vector<double> random_taps(int width, std::uint64_t seed) {
  const auto values = random_signal<double>(width, seed, 1001);
  std::vector<double> taps(values);
  for (double& tap : taps) tap = tap / 3 + 0.01;
  return taps;
}

TYPED_TEST(Convolve, AnImpulseAnswersWithTheTaps) {
  const std::vector<double> taps{1, 2, 4};
  const std::vector<float> impulse{0, 0, 0, 1, 0, 0};
  const auto expect = [&](const std::vector<float>& x, int lead, const std::vector<long double>& response) {
    SCOPED_TRACE(lead);
    expect_near(this->template run<float>(x, taps, lead), response);
    expect_near(this->template run<double>(x, taps, lead), response);
  };
  expect(impulse, 0, {0, 0, 0, 1, 2, 4});
  expect(impulse, 1, {0, 0, 1, 2, 4, 0});
  expect(impulse, 2, {0, 1, 2, 4, 0, 0});
  expect({0, 0, 0, 0, 0, 1}, 0, {2, 4, 0, 0, 0, 1});  // round the end
  expect({1, 0, 0, 0, 0, 0}, 2, {4, 0, 0, 0, 1, 2});  // round the start
}

TYPED_TEST(Convolve, RefusesBadShapes) {
  auto& context = this->context();
  const Buffer<float, TypeParam> signal(context, 5000);
  const std::vector<double> taps(4097, 1.0);
  const auto run = [&](std::int64_t n, std::size_t width, int lead) {
    convolve<float>(context, signal.span().first(n), std::span(taps).first(width), {.lead = lead});
  };
  expect_error(ErrorKind::internal, "fewer samples than taps", [&] { run(0, 1, 0); });
  expect_error(ErrorKind::internal, "bad number of taps", [&] { run(0, 0, 0); });
  expect_error(ErrorKind::internal, "bad number of taps", [&] { run(10, 0, 0); });
  expect_error(ErrorKind::internal, "fewer samples than taps", [&] { run(10, 11, 0); });
  expect_error(ErrorKind::internal, "bad number of taps", [&] { run(5000, kMaxTaps + 1, 0); });
  expect_error(ErrorKind::internal, "bad lead", [&] { run(10, 3, 3); });
  expect_error(ErrorKind::internal, "bad lead", [&] { run(10, 3, -1); });
}

// The CPU's tile has 1,024 samples, and a Cuda block 256. 1,009, 8,191 and 99,991 are prime.
TYPED_TEST(Convolve, MatchesTheDirectSum) {
  for (const std::int64_t n : {1, 2, 3, 255, 256, 257, 1009, 1023, 1024, 1025, 5000, 8191, 99'991})
    for (const int width : {1, 2, 3, 60, 61, 181}) {
      if (width > n || left_out()) continue;
      const std::uint64_t seed = n * 1000 + width;
      const auto signal = random_signal(n, seed, 2001);
      const auto taps = random_taps(width, seed);
      for (const int lead : {0, (width - 1) / 2, width - 1}) {
        SCOPED_TRACE(shape_and_seed("n", n, seed) + " taps=" + std::to_string(width) + " lead=" + std::to_string(lead));
        const auto expected = expected_response(signal, taps, lead);
        expect_near(this->template run<float>(signal, taps, lead), expected);
        expect_near(this->template run<double>(signal, taps, lead), expected);
        if (n > 10'000) break;  // the direct sum is slow
      }
    }
}

// Beyond the ends lie the last values, or zeros, also if the signal is shorter than the kernel.
TYPED_TEST(Convolve, MatchesTheDirectSumBeyondTheEnds) {
  for (const std::int64_t n : {1, 2, 30, 59, 60, 61, 1025, 5000})
    for (const Beyond beyond : {Beyond::last_value, Beyond::zeros})
      for (const bool rectify : {false, true}) {
        if (left_out()) continue;
        const ConvolveOptions options{.lead = 30, .beyond = beyond, .rectify = rectify};
        SCOPED_TRACE(shape_and_seed("n", n, n) + (beyond == Beyond::zeros ? " zeros" : " last value"));
        const auto signal = random_signal(n, n, 2001);
        const auto taps = random_taps(61, n);
        std::vector<long double> expected(n);
        for (std::int64_t i = 0; i < n; ++i) {
          for (std::int64_t j = 0; j < 61; ++j) {
            const std::int64_t source = i + 30 - j, inside = std::clamp<std::int64_t>(source, 0, n - 1);
            if (beyond == Beyond::last_value || source == inside)
              expected[i] += static_cast<long double>(taps[j]) * signal[inside];
          }
          if (rectify) expected[i] = std::fabs(expected[i]);
        }
        expect_near(this->template run<float>(signal, taps, options), expected);
        expect_near(this->template run<double>(signal, taps, options), expected);
      }
}

TYPED_TEST(Convolve, AsManySamplesAsTaps) {
  for (const int n : {1, 2, 7, 61, 1024, 1025, 4096})
    for (const int lead : {0, (n - 1) / 2, n - 1}) {
      if (left_out()) continue;
      SCOPED_TRACE(shape_and_seed("n", n, n) + " lead=" + std::to_string(lead));
      const auto signal = random_signal(n, n, 2001);
      const auto taps = random_taps(n, n + 1);
      const auto expected = expected_response(signal, taps, lead);
      expect_near(this->template run<float>(signal, taps, lead), expected);
      expect_near(this->template run<double>(signal, taps, lead), expected);
    }
}

// Property: a rotated signal has a rotated response.
TYPED_TEST(Convolve, RotatesWithTheSignal) {
  const auto taps = ricker_wavelet(61);
  for (const int by : {1, 60, 700, 2999}) {
    SCOPED_TRACE(by);
    auto signal = random_signal(3000, by, 2001);
    const auto response = this->template run<double>(signal, taps, 30);
    std::vector<long double> rotated(response.begin(), response.end());
    std::ranges::rotate(signal, signal.begin() + by);
    std::ranges::rotate(rotated, rotated.begin() + by);
    expect_near(this->template run<double>(signal, taps, 30), rotated);
  }
}

TYPED_TEST(Convolve, ACentredWaveletPeaksWhereTheSignalDoes) {
  std::vector<float> signal(20'000);
  signal[12'345] = 1;
  const auto response = this->template run<float>(signal, ricker_wavelet(61), 30);
  EXPECT_EQ(std::ranges::max_element(response) - response.begin(), 12'345);
}

// A Cuda block of 2,048 samples gives 2,048 - (taps - 1) outputs, a slab 2,048 times as many.
TYPED_TEST(Convolve, MatchesTheDirectSumAroundBordersOfBlocksAndSlabs) {
  const int width = 61, step = 2048 - 60;
  const auto taps = random_taps(width, 1);
  for (const std::int64_t n : {step - 1, step, step + 1, 2 * step + 1}) {
    SCOPED_TRACE(n);
    const auto signal = random_signal(n, n, 2001);
    const auto expected = expected_response(signal, taps, 30);
    expect_near(this->template run<float>(signal, taps, 30), expected);
    expect_near(this->template run<double>(signal, taps, 30), expected);
  }
  const std::int64_t slab = std::int64_t{2048} * step, n = slab + 5;
  auto signal = random_signal(n, 5, 2001);
  const auto response = this->template run<double>(signal, taps, 30);
  for (const std::int64_t first : {std::int64_t{0}, slab - 200, n - 200})  // three stretches of the definition
    for (std::int64_t i = first; i < first + 200; ++i) {
      long double expected = 0;
      for (int j = 0; j < width; ++j)
        expected += static_cast<long double>(taps[j]) * signal[((i + 30 - j) % n + n) % n];
      ASSERT_NEAR(response[i], static_cast<double>(expected), 1e-9) << i;  // values up to 10^4
    }
}

// Kernels of more than 256 taps take longer blocks. The signal has several of them.
TYPED_TEST(Convolve, TakesWideKernels) {
  for (const int width : {257, 300, 1025, 4096}) {
    SCOPED_TRACE(width);
    const auto signal = random_signal(40'000, width, 2001);
    const auto taps = random_taps(width, width);
    std::vector<long double> expected;  // every 37th value
    for (std::int64_t i = 0; i < 40'000; i += 37) {
      expected.push_back(0);
      for (int j = 0; j < width; ++j)
        expected.back() += static_cast<long double>(taps[j]) * signal[(i + 7 - j + 40'000) % 40'000];
    }
    const auto check = [&](const auto& response) {
      std::remove_cvref_t<decltype(response)> chosen;
      for (std::int64_t i = 0; i < 40'000; i += 37) chosen.push_back(response[i]);
      expect_near(chosen, expected);
    };
    check(this->template run<float>(signal, taps, 7));
    check(this->template run<double>(signal, taps, 7));
  }
}

// Neither an outlier far away nor a large constant under the signal must cost a response its digits.
TYPED_TEST(Convolve, OutliersAndOffsetsCostNoDigits) {
  const auto taps = ricker_wavelet(61);
  for (const std::size_t outlier : {0, 9000}) {
    auto signal = random_signal(20'000, 9, 2001);
    for (float& value : signal) value = value / 1000 + 1024;
    signal[outlier] = 1e6f;
    const auto expected = expected_response(signal, taps, 30);
    const auto response = this->template run<float>(signal, taps, 30);
    for (std::size_t i = 4000; i < 6000; ++i)  // neither in the first block nor in that of the other outlier
      ASSERT_NEAR(response[i], static_cast<double>(expected[i]), 1e-4) << i << ", outlier at " << outlier;
  }
}

// A large constant under the signal must not cost float32 its digits.
TYPED_TEST(Convolve, TakesAConstantOffset) {
  auto signal = random_signal(5000, 3, 2001);
  for (float& value : signal) value = value / 1000 + 1024;
  const auto taps = ricker_wavelet(61);
  const auto expected = expected_response(signal, taps, 30);
  long double least = expected[0], largest = expected[0];
  for (const auto value : expected) least = std::min(least, value), largest = std::max(largest, value);
  const auto response = this->template run<float>(signal, taps, 30);
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_NEAR(response[i], static_cast<double>(expected[i]),
                static_cast<double>(1e-5 * (largest - least) + 0x1p-23 * std::fabs(expected[i])))  // or its last bit
        << i;
}

}  // namespace
}  // namespace beatscan
