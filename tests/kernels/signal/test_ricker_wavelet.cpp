#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/signal/convolve.h"

namespace beatscan {
namespace {

TEST(RickerWavelet, WorkedByHand) {
  const double end = std::exp(-4.5) * (1 - 9) * 2 / std::sqrt(3.0);  // t = -3, 0, 3
  const auto wavelet = ricker_wavelet(3);
  ASSERT_EQ(wavelet.size(), 3u);
  EXPECT_DOUBLE_EQ(wavelet[0], end);
  EXPECT_DOUBLE_EQ(wavelet[1], 2 / std::sqrt(3.0));
  EXPECT_DOUBLE_EQ(wavelet[2], end);
  EXPECT_EQ(ricker_wavelet(1), std::vector<double>{2});
}

TEST(RickerWavelet, MatchesItsFormula) {
  for (const int width : {2, 5, 60, 61, 180, 4096}) {
    SCOPED_TRACE(width);
    const auto wavelet = ricker_wavelet(width);
    ASSERT_EQ(std::ssize(wavelet), width);
    for (int i = 0; i < width; ++i) {
      const long double t = -3.0L + 6.0L * i / (width - 1);
      const long double value = std::exp(-t * t / 2) * (1 - t * t) * 2 / std::sqrt(static_cast<long double>(width));
      EXPECT_NEAR(wavelet[i], static_cast<double>(value), 1e-14) << i;  // values below 2, a few roundings
      EXPECT_NEAR(wavelet[i], wavelet[width - 1 - i], 1e-14) << "symmetric";
    }
  }
}

}  // namespace
}  // namespace beatscan
