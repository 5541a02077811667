#include "kernels/signal/peaks.h"

#include <algorithm>

#include "kernels/runtime/error.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

using Words = std::vector<std::uint32_t>;

template <class Context>
class Peaks : public OnBackend<Context> {
 protected:
  template <class Real>
  Words run(const std::vector<Real>& x, int window) {
    auto& context = this->context();
    const auto device_x = from_host(context, x);
    // The words are filled with ones, so that a bit that is not written shows.
    auto words = from_host(context, Words(words_for(window_positions(std::ssize(x), window)), ~0u));
    mark_window_peaks<Real>(context, device_x, window, words);
    return to_host(context, words);
  }
};
TYPED_TEST_SUITE(Peaks, Backends, BackendNames);

template <class Real>
Words expected_peaks(const std::vector<Real>& x, int window) {
  std::vector<bool> set;
  for (std::int64_t p = 0; p + window <= std::ssize(x); ++p)
    set.push_back(*std::max_element(x.begin() + p, x.begin() + p + window) == x[p + window / 2]);
  return words_of(set);
}

// Window 3 reads one sample on each side of the centre p + 1; window 2 one before it; window 1 the centre alone.
TYPED_TEST(Peaks, WorkedByHand) {
  const std::vector<float> x{0, 2, 1, 1, 1, 0, 5};
  EXPECT_EQ(this->run(x, 3), Words{0b01101});
  EXPECT_EQ(this->run(x, 2), Words{0b101101});
  EXPECT_EQ(this->run(x, 1), Words{0b1111111});
  EXPECT_EQ(this->run(x, 7), Words{0});
  EXPECT_EQ(this->run(std::vector<float>{1, 2, 9, 3}, 4), Words{1})
      << "the centre of an even window is right of the middle";
}

TYPED_TEST(Peaks, SignalsShorterThanTheWindowHaveNoPositions) {
  EXPECT_EQ(this->run(std::vector<float>{}, 1), Words{});
  EXPECT_EQ(this->run(std::vector<double>{}, 4096), Words{});
  EXPECT_EQ(this->run(std::vector<float>{1, 2}, 3), Words{});
}

TYPED_TEST(Peaks, RefusesBadShapes) {
  auto& context = this->context();
  const auto x = from_host(context, std::vector<float>(100));
  Buffer<std::uint32_t, TypeParam> words(context, 4);
  const auto mark = [&](int window, std::int64_t size) {
    mark_window_peaks<float>(context, x, window, words.span().first(size));
  };
  expect_error(ErrorKind::internal, "bad window", [&] { mark(0, 4); });
  expect_error(ErrorKind::internal, "bad window", [&] { mark(-1, 4); });
  expect_error(ErrorKind::internal, "bad window", [&] { mark(kMaxPeakWindow + 1, 0); });
  expect_error(ErrorKind::internal, "words do not fit", [&] { mark(3, 3); });
  expect_error(ErrorKind::internal, "words do not fit", [&] { mark(5, 4); });
  expect_error(ErrorKind::internal, "words do not fit", [&] { mark(101, 1); });
}

template <class Real, class Run>
void compare_random_signals(Run&& run) {
  for (const int window : {1, 2, 3, 31, 32, 33, 63, 64, 65, 180, 181, 1000, 4096})
    for (std::int64_t positions : {1, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 4099}) {
      const std::int64_t n = positions + window - 1;
      const std::uint64_t seed = n * 5000 + window;
      SCOPED_TRACE(shape_and_seed("n", n, seed) + " window=" + std::to_string(window));
      // With few distinct values every wide window would hold the largest value, and no other value would be a peak.
      const auto x = random_signal<Real>(n, seed, window < 10 ? 5 : 3 * window);
      EXPECT_EQ(run(x, window), expected_peaks(x, window));
    }
}

// A Cuda block has 1,024 positions, a word 32.
TYPED_TEST(Peaks, MatchesDefinitionOnRandomFloats) {
  compare_random_signals<float>([&](const auto& x, int window) { return this->run(x, window); });
}
TYPED_TEST(Peaks, MatchesDefinitionOnRandomDoubles) {
  compare_random_signals<double>([&](const auto& x, int window) { return this->run(x, window); });
}

// The signal is so long that the CPU's threads share it, 1,024 words each, and that van Herk's blocks start in every
// phase.
TYPED_TEST(Peaks, MatchesDefinitionOnALongSignal) {
  for (const int window : {2, 33, 180}) {
    SCOPED_TRACE(window);
    const auto x = random_signal(140'001, window, 200);
    EXPECT_EQ(this->run(x, window), expected_peaks(x, window));
  }
}

TYPED_TEST(Peaks, DoublesAreNotComparedAsFloats) {
  const double above = 1.0 + 0x1p-40;
  EXPECT_EQ(this->run(std::vector<double>{1, above, 1}, 3), Words{1});
  EXPECT_EQ(this->run(std::vector<double>{above, 1, 1}, 3), Words{0});
}

TYPED_TEST(Peaks, OfAPlateauAllPositionsAreInTheSet) {
  for (const int window : {1, 2, 3, 180, 181, 1000, 4096}) {
    SCOPED_TRACE(window);
    const std::vector<float> flat(window + 2000, -1.5f);
    EXPECT_EQ(this->run(flat, window), words_of(std::vector<bool>(2001, true)));
    auto step = flat;  // lower on the left: the lower samples fail only if the plateau is in the window
    std::fill_n(step.begin(), 700, -2.0f);
    EXPECT_EQ(this->run(step, window), expected_peaks(step, window));
  }
}

TYPED_TEST(Peaks, MinusZeroTiesWithZero) {
  EXPECT_EQ(this->run(std::vector<float>{0.0f, -0.0f, 0.0f}, 3), Words{1});
  EXPECT_EQ(this->run(std::vector<float>{-0.0f, 0.0f, -0.0f}, 3), Words{1});
}

// Property: after an increasing map the same positions win.
TYPED_TEST(Peaks, DependOnOrderAlone) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    SCOPED_TRACE(seed);
    const auto x = random_signal(3000, seed, 50);
    std::vector<double> mapped(x.begin(), x.end());
    for (double& value : mapped) value = value * value * value + 1000;
    EXPECT_EQ(this->run(x, 21), this->run(mapped, 21));
  }
}

}  // namespace
}  // namespace beatscan
