// The kernels of detection against plain definitions. tests/stages/detect/test_detect_r_peaks.cpp tests them together.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "kernels/detect/detect.h"
#include "kernels/detect/local_band.h"
#include "kernels/signal/convolve.h"
#include "tests/support/backends.h"
#include "tests/support/test_stride.h"

namespace beatscan {
namespace {

using Positions = std::vector<std::int64_t>;

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t n = values.size();
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

template <class Context>
class Detect : public OnBackend<Context> {
 protected:
  Positions marked(const std::vector<float>& x, int radius, int edge) {
    auto& context = this->context();
    Buffer<std::uint32_t, Context> words(context, words_for(std::ssize(x)));
    mark_candidates(context, from_host(context, x), radius, edge, words);
    return to_host(context, positions(context, words, Pick::every));
  }
  std::vector<float> levels(const std::vector<float>& x, const LevelOptions& options) {
    auto& context = this->context();
    Buffer<float, Context> maxima(context, level_blocks(std::ssize(x), options.block)), found(context, maxima.size());
    block_maxima(context, from_host(context, x), options.block, maxima);
    local_levels(context, maxima, options, found);
    return to_host(context, found);
  }

  // Makes candidates in the context's memory.
  struct OnContext {
    Buffer<std::int64_t, Context> at;
    Buffer<float, Context> height, sharpness;
    Candidates view() const { return {at, height, sharpness}; }
  };
  OnContext candidates(const Positions& at, const std::vector<float>& height, const std::vector<float>& sharpness) {
    auto& context = this->context();
    return {from_host(context, at), from_host(context, height), from_host(context, sharpness)};
  }
  Positions beats(const OnContext& candidates, const TWaveOptions& options) {
    Buffer<std::uint32_t, Context> words(this->context(), words_for(candidates.at.size()));
    mark_beats(this->context(), candidates.view(), options, words);
    return to_host(this->context(), positions(this->context(), words, Pick::every));
  }
  Positions searched(const OnContext& candidates, const Positions& kept, const SearchOptions& options) {
    auto& context = this->context();
    std::vector<std::uint32_t> words(words_for(candidates.at.size()));
    for (const auto i : kept) words[i / 32] |= 1u << (i % 32);
    auto on_context = from_host(context, words);
    search_back(context, candidates.view(), from_host(context, kept), options, on_context);
    return to_host(context, positions(context, on_context, Pick::every));
  }
};
TYPED_TEST_SUITE(Detect, Backends, BackendNames);

TYPED_TEST(Detect, CandidatesByHand) {
  const std::vector<float> x = {0, 3, 1, 5, 5, 2, 0, 4, 0, 0};
  EXPECT_EQ(this->marked(x, 1, 0), (Positions{1, 3, 7}));  // the first of equal values
  EXPECT_EQ(this->marked(x, 2, 0), (Positions{3, 7}));
  EXPECT_EQ(this->marked(x, 4, 0), (Positions{3}));
  EXPECT_EQ(this->marked(x, 1, 2), (Positions{3, 7}));
  EXPECT_EQ(this->marked(x, 1, 3), (Positions{3}));
  EXPECT_EQ(this->marked({0, 0, 0}, 1, 0), Positions{});  // no value that is not positive
  EXPECT_EQ(this->marked({}, 1, 0), Positions{});
}

TYPED_TEST(Detect, CandidatesMatchTheirDefinition) {
  for (const std::int64_t n : {1, 2, 31, 32, 33, 255, 257, 3000})
    for (const int radius : {0, 1, 5, 76, 400}) {
      const auto x = random_signal(n, n + radius, 20);  // few distinct values, so that there are ties
      Positions expected;
      for (std::int64_t i = 3; i < n - 3; ++i) {
        bool is_peak = x[i] > 0;
        for (std::int64_t j = std::max<std::int64_t>(i - radius, 0); j <= std::min(i + radius, n - 1); ++j)
          is_peak &= j < i ? x[j] < x[i] : x[j] <= x[i];
        if (is_peak) expected.push_back(i);
      }
      EXPECT_EQ(this->marked(x, radius, 3), expected) << "n=" << n << " radius=" << radius;
    }
}

TYPED_TEST(Detect, LevelsMatchTheirDefinition) {
  for (const std::int64_t n : {1, 4, 5, 14, 15, 16, 1000, 1004, 1005, 30'000})
    for (const int reach : {0, 1, 3, 16}) {
      if (left_out()) continue;
      SCOPED_TRACE(testing::Message() << "n=" << n << " reach=" << reach);
      auto x = random_signal(n, n, 2001);
      for (float& value : x) value = std::abs(value);
      for (std::int64_t i = n / 4; i < n / 2; ++i) x[i] = 0;  // a flat stretch
      const LevelOptions options{10, reach, 0.1, 1e-4};
      const std::int64_t blocks = std::max<std::int64_t>((n + 5) / 10, 1);
      std::vector<double> maxima(blocks), positive;
      for (std::int64_t b = 0; b < blocks; ++b) {
        maxima[b] = *std::max_element(x.begin() + b * 10, b + 1 < blocks ? x.begin() + (b + 1) * 10 : x.end());
        if (maxima[b] > 0) positive.push_back(maxima[b]);
      }
      const double floor =
          positive.empty() ? 1 : std::max(0.1 * median_of(positive), 1e-4 * *std::ranges::max_element(maxima));
      const auto found = this->levels(x, options);
      ASSERT_EQ(std::ssize(found), blocks);
      for (std::int64_t b = 0; b < blocks; ++b) {
        const auto first = std::max<std::int64_t>(b - reach, 0), last = std::min(b + reach + 1, blocks);
        std::vector<double> near;
        std::copy_if(maxima.begin() + first, maxima.begin() + last, std::back_inserter(near),
                     [](double maximum) { return maximum > 0; });
        const double own = near.empty() ? 0 : median_of(near);
        EXPECT_FLOAT_EQ(found[b], static_cast<float>(std::max(own, floor))) << b;
      }
    }
}

TYPED_TEST(Detect, LevelsOfNothingAreOne) {
  EXPECT_EQ(this->levels(std::vector<float>(100, 0.0f), {10, 3, 0.1, 1e-4}), std::vector<float>(10, 1.0f));
}

// At 100 Hz T waves follow within 38 samples and have half the height, or follow within 44 and have little sharpness.
TYPED_TEST(Detect, TWavesByHand) {
  const TWaveOptions options{0.34f, 38, 44, 0.45f, 0.40f, 1.0f};
  const auto kept = [&](std::int64_t after, float height, float sharpness) {
    return this->beats(this->candidates({100, 100 + after}, {1, height}, {1, sharpness}), options);
  };
  const Positions both{0, 1}, first{0};
  EXPECT_EQ(kept(38, 0.44f, 1), first);
  EXPECT_EQ(kept(38, 0.46f, 1), both);
  EXPECT_EQ(kept(39, 0.44f, 1), both);
  EXPECT_EQ(kept(44, 0.99f, 0.39f), first);
  EXPECT_EQ(kept(44, 1.01f, 0.39f), both);
  EXPECT_EQ(kept(44, 0.99f, 0.41f), both);
  EXPECT_EQ(kept(45, 0.99f, 0.39f), both);
  EXPECT_EQ(kept(60, 0.33f, 1), first);  // too low for a beat
  // A candidate may also be the T wave of the last but one, but not of one that is too low itself.
  EXPECT_EQ(this->beats(this->candidates({0, 20, 38}, {1, 0.2f, 0.4f}, {1, 1, 1}), options), first);
  EXPECT_EQ(this->beats(this->candidates({0, 30}, {0.33f, 0.34f}, {1, 0.1f}), options), (Positions{1}));
  EXPECT_EQ(this->beats(this->candidates({}, {}, {}), options), Positions{});
}

TYPED_TEST(Detect, SearchBackByHand) {
  const SearchOptions options{8, 32, {1.4, 0.24f, 35, 0.4, 0.5}};
  // There is a beat every 100 samples, but none at 300. Candidates 0, 1, 2, 4 and 5 are beats; 3 may become one.
  const auto run = [&](std::int64_t at, float height) {
    return this->searched(
        this->candidates({0, 100, 200, at, 400, 500}, {1, 1, 1, height, 1, 1}, std::vector<float>(6, 1.0f)),
        {0, 1, 2, 4, 5}, options);
  };
  const Positions found{0, 1, 2, 3, 4, 5}, not_found{0, 1, 2, 4, 5};
  EXPECT_EQ(run(300, 0.24f), found);
  EXPECT_EQ(run(300, 0.23f), not_found);
  EXPECT_EQ(run(241, 0.5f), found);
  EXPECT_EQ(run(240, 0.5f), not_found);  // at most 0.4 of the median RR after the previous beat
  EXPECT_EQ(run(349, 0.5f), found);
  EXPECT_EQ(run(350, 0.5f), not_found);  // at most half of the median RR before the next beat
  // The highest of several candidates is found, and the first of equal ones.
  const auto several = this->candidates({0, 100, 200, 260, 300, 340, 400, 500}, {1, 1, 1, 0.5f, 0.6f, 0.6f, 1, 1},
                                        std::vector<float>(8, 1.0f));
  EXPECT_EQ(this->searched(several, {0, 1, 2, 6, 7}, options), (Positions{0, 1, 2, 4, 6, 7}));
  // A gap of 1.4 times the median is not long.
  const auto short_gap =
      this->candidates({0, 100, 200, 270, 340, 440}, {1, 1, 1, 1, 1, 1}, std::vector<float>(6, 1.0f));
  EXPECT_EQ(this->searched(short_gap, {0, 1, 2, 4, 5}, options), (Positions{0, 1, 2, 4, 5}));
}

// There is a beat every 100 samples, but the last comes 150 after the one before. Their sharpness over height is .4, .5
// or .9, with a median of .5. A candidate in the gap has a height of 0.2.
TYPED_TEST(Detect, SearchBackForSharpBeatsByHand) {
  SearchOptions options{8, 32, {1.4, 0.24f, 35, 0.4, 0.5}, {1.2, 0.2f, 30, 0, 0.9}, 1.1, 1.6};
  const auto run = [&](std::int64_t after, float height, float sharpness, std::int64_t last = 150) {
    return this->searched(this->candidates({0, 100, 200, 200 + after, 200 + last}, {1, 2, 1, height, 1},
                                           {0.4f, 1, 0.5f, sharpness, 0.9f}),
                          {0, 1, 2, 4}, options);
  };
  const Positions found{0, 1, 2, 3, 4}, not_found{0, 1, 2, 4};
  EXPECT_EQ(run(45, 0.2f, 0.12f), found);
  EXPECT_EQ(run(45, 0.2f, 0.105f), not_found) << "as sharp as other beats";
  EXPECT_EQ(run(45, 0.2f, 0.15f), found);
  EXPECT_EQ(run(45, 0.2f, 0.17f), not_found) << "as sharp as a spike";
  EXPECT_EQ(run(45, 0.19f, 0.12f), not_found) << "too low";
  EXPECT_EQ(run(31, 0.2f, 0.12f), found);
  EXPECT_EQ(run(30, 0.2f, 0.12f), not_found) << "too soon";
  EXPECT_EQ(run(59, 0.2f, 0.12f), found);
  EXPECT_EQ(run(60, 0.2f, 0.12f), not_found) << "too near to the next beat";
  EXPECT_EQ(run(29, 0.2f, 0.12f, 120), not_found) << "too soon in a gap that is not long";
  EXPECT_EQ(run(31, 0.2f, 0.12f, 122), found);
  options.sharp = {};
  EXPECT_EQ(run(45, 0.2f, 0.12f), not_found) << "there is no such rule";
}

// The definition, for one gap after the other.
Positions searched_plainly(const Positions& at, const std::vector<float>& height, const std::vector<float>& sharpness,
                           const Positions& kept, const SearchOptions& options) {
  Positions beats = kept;
  const std::int64_t count = std::ssize(kept);
  for (std::int64_t i = 0; i + 1 < count; ++i) {
    std::vector<double> intervals, ratios;
    for (std::int64_t j = std::max<std::int64_t>(i - options.reach, 0); j <= std::min(i + options.reach, count - 1);
         ++j) {
      if (j + 1 < count) intervals.push_back(static_cast<double>(at[kept[j + 1]] - at[kept[j]]));
      if (height[kept[j]] > 0) ratios.push_back(sharpness[kept[j]] / height[kept[j]]);
    }
    const double rr = median_of(intervals), usual = ratios.empty() ? 0 : median_of(ratios);
    std::int64_t best = -1;
    for (std::int64_t j = kept[i] + 1; j < kept[i + 1] && j <= kept[i] + options.candidates; ++j) {
      if (height[j] == 0) continue;
      const auto since = static_cast<double>(at[j] - at[kept[i]]), left = static_cast<double>(at[kept[i + 1]] - at[j]);
      const auto keeps_to = [&](const SearchRule& rule) {
        return since + left > rule.gap * rr && height[j] >= rule.height && since > rule.soonest &&
               since > rule.after * rr && left > rule.before * rr;
      };
      const double ratio = sharpness[j] / height[j];
      const bool is_sharp = options.least_sharp * usual <= ratio && ratio <= options.most_sharp * usual;
      if ((keeps_to(options.weak) || (keeps_to(options.sharp) && is_sharp)) && (best < 0 || height[j] > height[best]))
        best = j;
    }
    if (best >= 0) beats.push_back(best);
  }
  std::ranges::sort(beats);
  return beats;
}

// Many candidates have the same height, and some have none.
TYPED_TEST(Detect, SearchBackOfManyGapsIsThePlainOne) {
  const SearchOptions options{8, 5, {1.4, 0.24f, 35, 0.4, 0.5}, {1.2, 0.2f, 30, 0, 0.5}, 1.1, 1.6};
  std::mt19937 random(3);
  for (const int count : {3, 255, 256, 257, 3000}) {
    Positions at, kept;
    std::vector<float> height, sharpness;
    for (int i = 0; i < count; ++i) {
      at.push_back((at.empty() ? 0 : at.back()) + 20 + static_cast<std::int64_t>(random() % 40));
      height.push_back(static_cast<float>(random() % 6) / 10);
      sharpness.push_back(height.back() * static_cast<float>(2 + random() % 5) / 5);
      if (i == 0 || i + 1 == count || random() % 4 == 0) kept.push_back(i);
    }
    const auto found = this->searched(this->candidates(at, height, sharpness), kept, options);
    EXPECT_EQ(found, searched_plainly(at, height, sharpness, kept, options)) << count;
    EXPECT_TRUE(count < 255 || found.size() > kept.size());
  }
}

TYPED_TEST(Detect, RPeaksLieBetweenSamples) {
  auto& context = this->context();
  std::vector<float> y(200);
  for (int i = 0; i < 200; ++i) y[i] = static_cast<float>(std::exp(-0.5 * std::pow((i - 100.3) / 4, 2)));
  Buffer<double, TypeParam> peaks(context, 1);
  const auto place = [&](std::int64_t candidate, const RPeakOptions& options) {
    place_r_peaks(context, from_host(context, y), std::vector<double>{1}, from_host(context, Positions{candidate}),
                  options, peaks);
    return to_host(context, peaks)[0];
  };
  EXPECT_NEAR(place(100, {36, 1e9}), 100.3, 0.02);  // a parabola is not quite a Gaussian
  EXPECT_NEAR(place(120, {36, 1e9}), 100.3, 0.02);
  EXPECT_EQ(place(120, {10, 1e9}), 110);           // the end of the range that is searched
  EXPECT_NEAR(place(104, {36, 4}), 102.15, 0.05);  // half-way, as both have the same weight
  std::ranges::fill(y, 0.0f);
  EXPECT_EQ(place(0, {36, 10}), 0);  // flat, at the end of the recording
}

TEST(Wavelets, BandWaveletIsABandPass) {
  for (const double rate : {125.0, 360.0, 1000.0}) {
    const auto taps = band_wavelet(15, rate);
    const auto gain = [&](double hz) {
      double sum = 0;
      const int n = static_cast<int>(taps.size() / 2);
      for (int i = -n; i <= n; ++i) sum += taps[i + n] * std::cos(2 * std::numbers::pi * hz * i / rate);
      return sum;
    };
    for (const double hz : {1.0, 5.0, 10.0, 15.0, 25.0, 40.0}) {
      const double ratio = std::pow(hz / 15, 2);
      EXPECT_NEAR(gain(hz), ratio * std::exp(1 - ratio), 2e-3)
          << hz << " Hz at " << rate;  // the wavelet is sampled and cut
    }
    EXPECT_NEAR(gain(0), 0, 1e-12);
    EXPECT_NEAR(gain(15), 1, 1e-5);
  }
  double sum = 0;
  for (const double tap : gaussian(0.04, 360)) sum += tap;
  EXPECT_NEAR(sum, 1, 1e-12);
}

}  // namespace
}  // namespace beatscan
