// Tests a band in a few places against its definition, also at the ends of the recording.
#include "kernels/detect/local_band.h"

#include <algorithm>
#include <cmath>

#include "kernels/signal/convolve.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

using Positions = std::vector<std::int64_t>;
using Doubles = std::vector<double>;

// Returns |sum over j of taps[j] x(i + lead - j)|, with the values at the ends repeated beyond them.
double band_at(const std::vector<float>& x, const Doubles& taps, std::int64_t i) {
  const auto lead = std::ssize(taps) / 2;
  double sum = 0;
  for (std::int64_t j = 0; j < std::ssize(taps); ++j)
    sum += taps[j] * x[std::clamp<std::int64_t>(i + lead - j, 0, std::ssize(x) - 1)];
  return std::abs(sum);
}

double height_at(const std::vector<float>& x, const Doubles& taps, const Doubles& weights, std::int64_t at) {
  const auto reach = std::ssize(weights) / 2;
  double sum = 0;
  for (std::int64_t d = -reach; d <= reach; ++d)
    if (at + d >= 0 && at + d < std::ssize(x)) sum += weights[d + reach] * band_at(x, taps, at + d);
  return sum;
}

std::vector<float> noise(std::int64_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> x(n);
  for (float& value : x) value = normal(random);
  return x;
}

template <class Context>
class LocalBand : public OnBackend<Context> {
 protected:
  std::vector<float> heights(const std::vector<float>& x, const Doubles& taps, const Doubles& weights,
                             const Positions& at) {
    auto& context = this->context();
    Buffer<float, Context> found(context, std::ssize(at));
    smoothed_band(context, from_host(context, x), taps, weights, from_host(context, at), found);
    return to_host(context, found);
  }
  Positions refined(const std::vector<float>& x, const Doubles& taps, const Doubles& weights,
                    const Positions& candidates, const Positions& kept) {
    auto& context = this->context();
    Buffer<std::int64_t, Context> found(context, std::ssize(kept));
    refine_candidates(context, from_host(context, x), taps, weights, from_host(context, candidates),
                      from_host(context, kept), found);
    return to_host(context, found);
  }
};
TYPED_TEST_SUITE(LocalBand, Backends, BackendNames);

TYPED_TEST(LocalBand, ByHand) {
  const std::vector<float> x = {1, 2, -4, 8};
  EXPECT_EQ(this->heights(x, {1}, {1}, {0, 2}), (std::vector<float>{1, 4}));
  // Taps 1 0 -1 with lead 1 give x(i + 1) - x(i - 1).
  EXPECT_EQ(this->heights(x, {1, 0, -1}, {1}, {0, 1, 2, 3}), (std::vector<float>{1, 5, 6, 12}));
  // The weights reach to the neighbours. Beyond the recording nothing is added.
  EXPECT_EQ(this->heights(x, {1}, {0.5, 1, 0.25}, {0, 3}), (std::vector<float>{1.5f, 10}));
  EXPECT_TRUE(this->heights(x, {1}, {1}, {}).empty());
}

// A warp works on 32 places at a time, four times; a Cuda block has up to eight warps.
TYPED_TEST(LocalBand, HeightsMatchTheirDefinition) {
  for (const double rate : {80.0, 360.0, 2000.0})
    for (const std::int64_t n : {1, 40, 5000}) {
      const auto x = noise(n, 7);
      const auto taps = band_wavelet(26, rate), weights = gaussian(0.04, rate);
      Positions at;
      for (std::int64_t i = 0; i < n; i += std::max<std::int64_t>(n / 37, 1)) at.push_back(i);
      at.push_back(n - 1);
      const auto found = this->heights(x, taps, weights, at);
      for (std::size_t i = 0; i < at.size(); ++i) {
        const double expected = height_at(x, taps, weights, at[i]);
        ASSERT_NEAR(found[i], expected, 1e-6 * expected + 1e-12) << "rate " << rate << " n " << n << " at " << at[i];
      }
    }
}

TYPED_TEST(LocalBand, CandidatesMoveToTheLargestNearby) {
  const auto x = noise(4000, 3);
  const auto taps = band_wavelet(15, 250), weights = gaussian(0.04, 250);
  Positions candidates, kept, expected;
  for (std::int64_t i = 0; i < 4000; i += 61) candidates.push_back(i);
  candidates.push_back(3999);
  for (std::int64_t k = 0; k < std::ssize(candidates); k += 2) kept.push_back(k);
  for (const auto k : kept) {
    double largest = -1;
    expected.push_back(-1);
    for (std::int64_t at = std::max<std::int64_t>(candidates[k] - 2, 0);
         at <= std::min<std::int64_t>(candidates[k] + 2, 3999); ++at)
      if (const double height = height_at(x, taps, weights, at); height > largest) {
        largest = height;
        expected.back() = at;
      }
  }
  EXPECT_EQ(this->refined(x, taps, weights, candidates, kept), expected);
  // The first of equal heights counts.
  EXPECT_EQ(this->refined(std::vector<float>(20, 1), {1}, {1}, {0, 9, 19}, {0, 1, 2}), (Positions{0, 7, 17}));
}

TYPED_TEST(LocalBand, BadShapesThrow) {
  EXPECT_THROW_KIND(this->heights({1, 2}, {1, 2}, {1}, {0}), ErrorKind::internal) << "an even number of taps";
  EXPECT_THROW_KIND(this->heights({1, 2}, {1}, {1, 2}, {0}), ErrorKind::internal) << "an even number of weights";
  auto& context = this->context();
  Buffer<float, TypeParam> one(context, 1);
  EXPECT_THROW_KIND(smoothed_band(context, from_host(context, std::vector<float>{1}), Doubles{1}, Doubles{1},
                                  from_host(context, Positions{0, 0}), one),
                    ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
