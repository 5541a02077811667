#include "kernels/detection/beat_tips.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "kernels/runtime/buffer.h"
#include "kernels/runtime/error.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

constexpr TipRule kTipRule{.near = 3, .step = 1, .gap = 2, .far = 4, .reach = 6};

template <class Context>
class BeatTips : public OnBackend<Context> {
 protected:
  std::vector<BeatTip> of(const std::vector<float>& x, const std::vector<double>& r_peaks, const TipRule& rule) {
    auto& context = this->context();
    const auto samples = from_host(context, x);
    const auto peaks = from_host(context, r_peaks);
    Buffer<BeatTip, Context> tips(context, peaks.size());
    beat_tips(context, samples, peaks, rule, tips);
    return to_host(context, tips);
  }
};
TYPED_TEST_SUITE(BeatTips, Backends, BackendNames);

TYPED_TEST(BeatTips, OfASpikeAndALaterWave) {
  std::vector<float> x(40, 1);
  x[20] = -2, x[21] = 0.5F, x[25] = 1.25F;  // the tip lies 2 samples after the R peak
  const auto tips = this->of(x, {18.7}, kTipRule);
  EXPECT_FLOAT_EQ(tips[0].height, 3);
  EXPECT_FLOAT_EQ(tips[0].beside, 0.5F);
  EXPECT_FLOAT_EQ(tips[0].behind, 0.25F);
}

TYPED_TEST(BeatTips, NearAnEndAreNotKnown) {
  const std::vector<float> x(40, 1);
  const auto tips = this->of(x, {7, 8, 26, 27}, kTipRule);
  EXPECT_TRUE(std::isnan(tips[0].height) && std::isnan(tips[0].beside) && std::isnan(tips[0].behind));
  EXPECT_EQ(tips[1].height, 0);
  EXPECT_EQ(tips[2].height, 0);
  EXPECT_TRUE(std::isnan(tips[3].height));
}

// Compares with the definition in the header, for lists around the size of a block.
TYPED_TEST(BeatTips, MatchTheirDefinition) {
  std::mt19937 random(2);
  std::vector<float> x(5000);
  for (float& value : x) value = static_cast<float>(random() % 64);
  for (const int count : {1, 255, 256, 257, 1000}) {
    std::vector<double> r_peaks;
    for (int k = 0; k < count; ++k) r_peaks.push_back(20 + 4.5 * k);
    const auto tips = this->of(x, r_peaks, kTipRule);
    for (int k = 0; k < count; ++k) {
      const auto r = static_cast<int>(r_peaks[k]);
      double mean = 0;
      for (int n = r - 3; n <= r + 3; ++n) mean += x[n];
      mean /= 7;
      int tip = r - 3;
      for (int n = r - 3; n <= r + 3; ++n)
        if (std::abs(x[n] - mean) > std::abs(x[tip] - mean)) tip = n;
      double base = 0;
      for (int n = 2; n <= 4; ++n) base += x[tip - n] + x[tip + n];
      base /= 6;
      EXPECT_FLOAT_EQ(tips[k].height, static_cast<float>(std::abs(x[tip] - base))) << k;
      EXPECT_FLOAT_EQ(tips[k].beside,
                      static_cast<float>(std::max(std::abs(x[tip - 1] - base), std::abs(x[tip + 1] - base))));
      const auto [low, high] = std::minmax_element(x.begin() + tip + 2, x.begin() + tip + 7);
      EXPECT_EQ(tips[k].behind, *high - *low);
    }
  }
}

TYPED_TEST(BeatTips, OfNoBeatAreNone) { EXPECT_TRUE(this->of(std::vector<float>(9, 1), {}, kTipRule).empty()); }

TYPED_TEST(BeatTips, WithABadRuleThrow) {
  EXPECT_THROW_KIND(this->of(std::vector<float>(40), {20}, {3, 1, 4, 4, 6}), ErrorKind::internal);
  EXPECT_THROW_KIND(this->of(std::vector<float>(40), {20}, {3, 0, 2, 4, 6}), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
