// Tests how the signal between beats is measured.
#include "kernels/detect/local_band.h"

#include <cmath>

#include "kernels/runtime/buffer.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;
using Flags = std::vector<std::uint8_t>;
using Lengths = std::vector<std::int32_t>;

struct Measured {
  Doubles powers;
  Lengths lengths;
};

template <class Context>
class PausePowers : public OnBackend<Context> {
 protected:
  Measured measure(const Floats& signal, const Doubles& r_peaks, const Flags& broken, const Doubles& taps,
                   Pause pause) {
    auto& context = this->context();
    Buffer<double, Context> powers(context, std::ssize(broken));
    Buffer<std::int32_t, Context> lengths(context, std::ssize(broken));
    pause_powers(context, from_host(context, signal), from_host(context, r_peaks), from_host(context, broken), taps,
                 pause, powers, lengths);
    return {to_host(context, powers), to_host(context, lengths)};
  }
};
TYPED_TEST_SUITE(PausePowers, Backends, BackendNames);

// With one tap of 1 the power is that of the samples themselves.
TYPED_TEST(PausePowers, OfAHandWorkedCase) {
  const Floats signal{9, 9, 9, 1, 2, 3, 9, 9, 9, 4, 9};
  const auto found = this->measure(signal, {1, 7, 10}, {0, 0}, {1}, {2, 1});
  EXPECT_EQ(found.lengths, (Lengths{3, 0})) << "samples 3, 4, 5; then none between 9 and 9";
  EXPECT_EQ(found.powers, (Doubles{1 + 4 + 9, 0}));
}

TYPED_TEST(PausePowers, OfR_PeaksBetweenSamples) {
  const Floats signal{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const auto found = this->measure(signal, {0.5, 8.5}, {0}, {1}, {2, 2});
  EXPECT_EQ(found.lengths, (Lengths{4})) << "samples 3 to 6 lie from 2.5 on and before 6.5";
  EXPECT_EQ(found.powers, (Doubles{9 + 16 + 25 + 36}));
}

TYPED_TEST(PausePowers, ABrokenIntervalHasNoPause) {
  const auto found = this->measure(Floats(40, 1), {5, 15, 25, 35}, {0, 1, 0}, {1}, {0, 0});
  EXPECT_EQ(found.lengths, (Lengths{10, 0, 10}));
  EXPECT_EQ(found.powers, (Doubles{10, 0, 10}));
}

TYPED_TEST(PausePowers, OneBeatHasNoPause) {
  EXPECT_TRUE(this->measure({1, 2, 3}, {1}, {}, {1}, {0, 0}).powers.empty());
}

// The filter does not read beyond the ends: samples that it would have to read there belong to no pause.
TYPED_TEST(PausePowers, LeaveOutTheEndsOfTheSignal) {
  const Floats signal(20, 2);
  const auto found = this->measure(signal, {0, 19}, {0}, Doubles(7, 1.0), {0, 0});
  EXPECT_EQ(found.lengths, (Lengths{14}));
  EXPECT_EQ(found.powers, (Doubles{14 * 14.0 * 14.0}));
  EXPECT_EQ(this->measure({1, 2}, {0, 1}, {0}, Doubles(7, 1.0), {0, 0}).lengths, (Lengths{0})) << "shorter than taps";
}

// A warp takes 32 samples at a time, a block eight pauses, and a CPU thread 64.
TYPED_TEST(PausePowers, MatchTheirDefinition) {
  for (const int beats : {2, 8, 9, 10, 64, 65, 66, 130})
    for (const int width : {1, 3, 33, 91}) {
      SCOPED_TRACE(testing::Message() << beats << " beats, " << width << " taps");
      std::mt19937 random(static_cast<unsigned>(beats * 100 + width));
      std::normal_distribution<float> normal;
      Doubles r_peaks, taps;
      Flags broken;
      double at = 10;
      for (int i = 0; i < beats; ++i) {
        r_peaks.push_back(at += static_cast<double>(random() % 150) + 0.25);
        if (i > 0) broken.push_back(random() % 6 == 0);
      }
      for (int j = 0; j < width; ++j) taps.push_back(normal(random));
      Floats signal(static_cast<std::size_t>(at) + 20);
      for (float& value : signal) value = normal(random);
      const Pause pause{12.5, 7.75};
      const auto found = this->measure(signal, r_peaks, broken, taps, pause);
      const int half = width / 2, size = static_cast<int>(signal.size());
      for (int i = 0; i + 1 < beats; ++i) {
        double power = 0;
        int length = 0;
        for (int p = half; p < size - half; ++p) {
          if (broken[i] || p < r_peaks[i] + pause.after || p >= r_peaks[i + 1] - pause.before) continue;
          double sum = 0;
          for (int j = 0; j < width; ++j) sum += taps[j] * signal[p + half - j];
          power += sum * sum;
          ++length;
        }
        ASSERT_EQ(found.lengths[i], length) << i;
        ASSERT_NEAR(found.powers[i], power, 1e-5 * power) << i << "; on Cuda the filter's sum is in float32";
      }
    }
}

TYPED_TEST(PausePowers, BadShapesThrow) {
  EXPECT_THROW_KIND(this->measure({1, 2}, {}, {}, {1}, {0, 0}), ErrorKind::internal);
  EXPECT_THROW_KIND(this->measure({1, 2}, {0, 1}, {0, 0}, {1}, {0, 0}), ErrorKind::internal);
  EXPECT_THROW_KIND(this->measure({1, 2}, {0, 1}, {0}, {1, 1}, {0, 0}), ErrorKind::internal);
  EXPECT_THROW_KIND(this->measure({1, 2}, {0, 1}, {0}, Doubles(kMostPauseTaps + 2), {0, 0}), ErrorKind::internal);
  EXPECT_THROW_KIND(this->measure({1, 2}, {0, 1}, {0}, {1}, {-1, 0}), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
