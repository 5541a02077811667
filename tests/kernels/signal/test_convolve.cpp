#include "kernels/signal/convolve.h"

#include <algorithm>
#include <cmath>

#include "tests/support/backends.h"
#include "tests/support/convolution.h"
#include "tests/support/expect_error.h"
#include "tests/support/test_stride.h"

namespace beatscan {
namespace {

template <class Context>
class Convolve : public OnBackend<Context> {
 protected:
  std::vector<float> run(const std::vector<float>& signal, const std::vector<double>& taps,
                         const ConvolveOptions& options) {
    const auto device_signal = from_host(this->context(), signal);
    return to_host(this->context(), convolve(this->context(), device_signal, taps, options));
  }
};
TYPED_TEST_SUITE(Convolve, Backends, BackendNames);

// A part of a response has the same bits as in the whole response. It needs no more of the signal than convolve_reads()
// returns.
TYPED_TEST(Convolve, APartIsThatOfTheWhole) {
  auto& context = this->context();
  for (const std::int64_t n : {200, 5'000, 40'000})
    for (const int width : {1, 31, 301}) {
      const auto x = random_signal(n, n + width, 1000);
      std::vector<double> taps(width);
      for (int j = 0; j < width; ++j) taps[j] = std::sin(0.3 * j + 1);
      for (const ConvolveOptions& options :
           {ConvolveOptions{.lead = width / 2, .rectify = true}, ConvolveOptions{.lead = 0, .beyond = Beyond::zeros},
            ConvolveOptions{.lead = width - 1, .beyond = Beyond::zeros}}) {
        if (left_out()) continue;
        const auto all = this->run(x, taps, options);
        for (const Stretch wanted : {Stretch{0, n}, Stretch{0, 1}, Stretch{n - 1, n}, Stretch{n / 3, n / 3},
                                     Stretch{n / 3, n / 2 + 7}, Stretch{n / 5, n}}) {
          SCOPED_TRACE(testing::Message() << "n=" << n << " width=" << width << " lead=" << options.lead << " from "
                                          << wanted.first << " to " << wanted.last);
          const Stretch reads = convolve_reads(n, width, options, wanted);
          const auto needed = from_host(context, std::vector<float>(x.begin() + reads.first, x.begin() + reads.last));
          const auto found = to_host(context, convolve(context, {needed, reads.first, n}, taps, options, wanted));
          ASSERT_EQ(bits_of(found), bits_of({all.begin() + wanted.first, all.begin() + wanted.last}));
        }
      }
    }
}

TYPED_TEST(Convolve, RefusesBadShapes) {
  auto& context = this->context();
  const auto some = from_host(context, std::vector<float>(100));
  const std::vector<double> taps(kMaxTaps + 1, 1.0);
  const auto run = [&](const SignalPart& signal, std::size_t width, int lead, Stretch wanted) {
    convolve(context, signal, std::span(taps).first(width), {.lead = lead}, wanted);
  };
  const SignalPart all = whole(some);
  expect_error(ErrorKind::internal, "no samples", [&] { run({}, 1, 0, {0, 0}); });
  expect_error(ErrorKind::internal, "bad number of taps", [&] { run(all, 0, 0, {0, 100}); });
  expect_error(ErrorKind::internal, "bad number of taps", [&] { run(all, kMaxTaps + 1, 0, {0, 100}); });
  expect_error(ErrorKind::internal, "bad lead", [&] { run(all, 3, 3, {0, 100}); });
  expect_error(ErrorKind::internal, "bad lead", [&] { run(all, 3, -1, {0, 100}); });
  expect_error(ErrorKind::internal, "not a stretch", [&] { run(all, 3, 1, {90, 101}); });
  expect_error(ErrorKind::internal, "not a stretch", [&] { run(all, 3, 1, {50, 49}); });
  expect_error(ErrorKind::internal, "longer than the signal", [&] { run({some, 0, 99}, 3, 1, {0, 99}); });
  expect_error(ErrorKind::internal, "longer than the signal", [&] { run({some, -1, 100}, 3, 1, {0, 98}); });
  expect_error(ErrorKind::internal, "lacks samples", [&] { run({some, 50, 100'000}, 11, 5, {0, 60}); });
  expect_error(ErrorKind::internal, "lacks samples", [&] { run({some, 0, 100'000}, 11, 5, {0, 96}); });
}

TYPED_TEST(Convolve, AnImpulseAnswersWithTheTaps) {
  const std::vector<double> taps{1, 2, 4};
  const std::vector<float> impulse{0, 0, 0, 1, 0, 0}, at_end{0, 0, 0, 0, 0, 1}, at_start{1, 0, 0, 0, 0, 0};
  using Values = std::vector<float>;
  EXPECT_EQ(this->run(impulse, taps, {.lead = 0}), (Values{0, 0, 0, 1, 2, 4}));
  EXPECT_EQ(this->run(impulse, taps, {.lead = 1}), (Values{0, 0, 1, 2, 4, 0}));
  EXPECT_EQ(this->run(impulse, taps, {.lead = 2}), (Values{0, 1, 2, 4, 0, 0}));
  EXPECT_EQ(this->run(at_end, taps, {.lead = 2}), (Values{0, 0, 0, 1, 3, 7}));
  EXPECT_EQ(this->run(at_start, taps, {.lead = 0}), (Values{7, 6, 4, 0, 0, 0}));
  EXPECT_EQ(this->run(at_end, taps, {.lead = 2, .beyond = Beyond::zeros}), (Values{0, 0, 0, 1, 2, 4}));
  EXPECT_EQ(this->run(at_start, taps, {.lead = 0, .beyond = Beyond::zeros}), (Values{1, 2, 4, 0, 0, 0}));
}

std::vector<long double> expected_response(const std::vector<float>& signal, const std::vector<double>& taps,
                                           const ConvolveOptions& options) {
  const auto n = std::ssize(signal);
  std::vector<long double> response(signal.size());
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < std::ssize(taps); ++j) {
      const std::int64_t source = i + options.lead - j, inside = std::clamp<std::int64_t>(source, 0, n - 1);
      if (options.beyond == Beyond::last_value || source == inside)
        response[i] += static_cast<long double>(taps[j]) * signal[inside];
    }
    if (options.rectify) response[i] = std::fabs(response[i]);
  }
  return response;
}

// Expects the sums rounded to float32. Float64's own errors may decide how a sum between two numbers is rounded.
void expect_rounded(const std::vector<float>& response, const std::vector<long double>& expected) {
  ASSERT_EQ(response.size(), expected.size());
  long double largest = 0;
  for (const auto value : expected) largest = std::max(largest, std::fabs(value));
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_LE(std::fabs(response[i] - expected[i]), 0x1p-24l * std::fabs(expected[i]) + 1e-12l * largest) << i;
}

// The CPU's tile has 1,024 samples, that of Cuda 1,792, which takes 7 taps at once and holds 252.
TYPED_TEST(Convolve, MatchesTheDefinition) {
  for (const std::int64_t n : {1, 2, 30, 61, 1023, 1024, 1025, 1791, 1792, 1793, 3585, 5000})
    for (const int width : {1, 2, 6, 7, 8, 61, 251, 252, 253, 505, 1100, 4096})
      for (const Beyond beyond : {Beyond::last_value, Beyond::zeros}) {
        if (left_out()) continue;
        const std::uint64_t seed = n * 10'000 + width;
        const auto signal = random_signal(n, seed, 2001);
        const auto taps = random_taps(width, seed);
        const ConvolveOptions options{.lead = static_cast<int>(seed % width), .beyond = beyond, .rectify = n % 2 == 1};
        SCOPED_TRACE(shape_and_seed("n", n, seed) + " taps=" + std::to_string(width) +
                     (beyond == Beyond::zeros ? " zeros" : " last value"));
        expect_rounded(this->run(signal, taps, options), expected_response(signal, taps, options));
      }
}

// Property: each back end gives the bits of one thread of the CPU.
TYPED_TEST(Convolve, GivesTheBitsOfTheCpu) {
  Cpu cpu(1);
  for (const std::int64_t n : {1, 100, 1792, 99'991, 2'000'003})
    for (const int width : {1, 31, 39, 79, 300}) {
      if (left_out()) continue;
      const std::uint64_t seed = n + width;
      auto signal = random_signal(n, seed, 2001);
      for (float& value : signal)
        value = value / 7 + 1024;  // a constant under the signal, and values that are not round
      const auto taps = random_taps(width, seed);
      signal[n / 2] = 1e37f, signal[n / 3] = 1e-40f;
      const ConvolveOptions options{
          .lead = width / 2, .beyond = n % 2 ? Beyond::zeros : Beyond::last_value, .rectify = width % 4 == 3};
      SCOPED_TRACE(shape_and_seed("n", n, seed) + " taps=" + std::to_string(width));
      ASSERT_EQ(bits_of(this->run(signal, taps, options)),
                bits_of(to_host(cpu, convolve(cpu, from_host(cpu, signal).span(), taps, options))));
    }
}

}  // namespace
}  // namespace beatscan
