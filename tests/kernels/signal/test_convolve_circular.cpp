#include "kernels/signal/convolve_circular.h"

#include <algorithm>
#include <cmath>

#include "kernels/signal/convolve.h"
#include "tests/support/backends.h"
#include "tests/support/convolution.h"
#include "tests/support/expect_error.h"
#include "tests/support/test_stride.h"

namespace beatscan {
namespace {

template <class Context>
class ConvolveCircular : public OnBackend<Context> {
 protected:
  template <class Real>
  std::vector<Real> run(const std::vector<float>& signal, const std::vector<double>& taps, int lead) {
    const auto device_signal = from_host(this->context(), signal);
    return to_host(this->context(), convolve_circular<Real>(this->context(), device_signal, taps, lead));
  }
};
TYPED_TEST_SUITE(ConvolveCircular, Backends, BackendNames);

std::vector<long double> expected_response(const std::vector<float>& x, const std::vector<double>& taps, int lead) {
  const auto n = std::ssize(x);
  std::vector<long double> response(n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < std::ssize(taps); ++j)
      response[i] += static_cast<long double>(taps[j]) * x[((i + lead - j) % n + n) % n];
  return response;
}

TYPED_TEST(ConvolveCircular, AnImpulseAnswersWithTheTaps) {
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

TYPED_TEST(ConvolveCircular, RefusesBadShapes) {
  auto& context = this->context();
  const Buffer<float, TypeParam> signal(context, 5000);
  const std::vector<double> taps(4097, 1.0);
  const auto run = [&](std::int64_t n, std::size_t width, int lead) {
    convolve_circular<float>(context, signal.span().first(n), std::span(taps).first(width), lead);
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
TYPED_TEST(ConvolveCircular, MatchesTheDirectSum) {
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

TYPED_TEST(ConvolveCircular, AsManySamplesAsTaps) {
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
TYPED_TEST(ConvolveCircular, RotatesWithTheSignal) {
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

TYPED_TEST(ConvolveCircular, ACentredWaveletPeaksWhereTheSignalDoes) {
  std::vector<float> signal(20'000);
  signal[12'345] = 1;
  const auto response = this->template run<float>(signal, ricker_wavelet(61), 30);
  EXPECT_EQ(std::ranges::max_element(response) - response.begin(), 12'345);
}

// A Cuda block of 2,048 samples gives 2,048 - (taps - 1) outputs, a slab 2,048 times as many.
TYPED_TEST(ConvolveCircular, MatchesTheDirectSumAroundBordersOfBlocksAndSlabs) {
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
TYPED_TEST(ConvolveCircular, TakesWideKernels) {
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
TYPED_TEST(ConvolveCircular, OutliersAndOffsetsCostNoDigits) {
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
TYPED_TEST(ConvolveCircular, TakesAConstantOffset) {
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
