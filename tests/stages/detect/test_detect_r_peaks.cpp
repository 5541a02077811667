// Compares detection as a whole with the numpy reference, tests/reference/detection.py, and tests its properties.
#include "stages/detect/detect.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "stages/detect/detect_options.h"
#include "stages/detect/fused_envelope.h"
#include "stages/io/csv/ingest.h"
#include "stages/io/recording/input_file.h"
#include "stages/quality/quality.h"
#include "tests/paths/paths.h"
#include "tests/support/backends.h"
#include "tests/support/drawn_lead.h"
#include "tests/support/read_npy.h"
#include "tests/support/test_stride.h"

namespace beatscan {
namespace {

// Detects on one lead.
template <class Context>
Detection<Context> detect_on(Context& context, std::span<const float> samples, double rate,
                             const DetectOptions& options = {}, const DetectRequest& request = {}, Gaps gaps = {}) {
  const LeadSignal lead{samples, gaps};
  return detect_r_peaks<Context>(context, {&lead, 1}, options, {}, rate, request);
}

template <class Context>
class DetectRPeaks : public OnBackend<Context> {
 protected:
  std::vector<double> detected(const std::vector<float>& x, double rate) {
    auto& context = this->context();
    return to_host(context, detect_on<Context>(context, from_host(context, x), rate).r_peaks);
  }
};
TYPED_TEST_SUITE(DetectRPeaks, Backends, BackendNames);

// With float32 responses in place of float64 ones the beats are the same, moved by far less than a sample.
TYPED_TEST(DetectRPeaks, AgreeWithTheReferenceOnRecord205) {
  auto& context = this->context();
  const std::filesystem::path source = source_folder();
  const auto recording = ingest(context, InputFile(source / "data/mitdb_205.csv"), {});
  const auto found = to_host(context, detect_on<TypeParam>(context, recording.leads.front().samples, 360).r_peaks);
  const auto expected = read_npy<double>(source / "tests/reference/expected/mitdb_205/r_peaks.npy").values;
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 0.36) << i;  // 1 ms
}

// An hour is missing, more than was recorded. A line bridges it, whose rounding noise also has peaks.
TYPED_TEST(DetectRPeaks, FindNothingOnABridge) {
  auto& context = this->context();
  auto recording = ingest(context, InputFile(std::filesystem::path(source_folder()) / "data/mitdb_205.csv"), {});
  const auto x = to_host(context, recording.leads.front().samples);
  constexpr std::int64_t kBefore = 30'000, kMissing = 3600 * 360;
  const float first = x[kBefore - 1], last = x[kBefore] + 0.3f;
  std::vector<float> bridged(x.begin(), x.begin() + kBefore);
  for (std::int64_t i = 1; i <= kMissing; ++i)
    bridged.push_back(first + (last - first) * static_cast<float>(i) / static_cast<float>(kMissing + 1));
  bridged.insert(bridged.end(), x.begin() + kBefore, x.begin() + 2 * kBefore);
  const auto firsts = from_host(context, std::vector<std::int64_t>{kBefore}),
             lasts = from_host(context, std::vector<std::int64_t>{kBefore + kMissing - 1});
  const auto found = to_host(
      context, detect_on<TypeParam>(context, from_host(context, bridged), 360, {}, {}, {firsts, lasts}).r_peaks);
  EXPECT_GT(found.size(), 200u);
  for (const double r_peak : found)
    EXPECT_TRUE(r_peak < kBefore + 72 || r_peak > kBefore + kMissing - 72) << r_peak << ", in the gap";
}

// Half a minute on either side of two hours that are missing: the line over them does not affect typical values.
TYPED_TEST(DetectRPeaks, AreTheSameNextToALongGap) {
  auto& context = this->context();
  auto recording = ingest(context, InputFile(std::filesystem::path(source_folder()) / "data/mitdb_205.csv"), {});
  const auto x = to_host(context, recording.leads.front().samples);
  constexpr std::int64_t kBefore = 30 * 360, kMissing = 7200 * 360;
  std::vector<float> bridged(x.begin(), x.begin() + kBefore);
  for (std::int64_t i = 1; i <= kMissing; ++i)
    bridged.push_back(x[kBefore - 1] + 0.3F * static_cast<float>(i) / static_cast<float>(kMissing));
  bridged.insert(bridged.end(), x.begin() + kBefore, x.begin() + 2 * kBefore);
  const auto firsts = from_host(context, std::vector<std::int64_t>{kBefore}),
             lasts = from_host(context, std::vector<std::int64_t>{kBefore + kMissing - 1});
  const auto found = to_host(
      context, detect_on<TypeParam>(context, from_host(context, bridged), 360, {}, {}, {firsts, lasts}).r_peaks);
  const auto whole = this->detected({x.begin(), x.begin() + 2 * kBefore}, 360);
  EXPECT_NEAR(static_cast<double>(found.size()), static_cast<double>(whole.size()), 1);
}

// Windows of all sizes give the same bits in every field.
TYPED_TEST(DetectRPeaks, AreTheSameInWindows) {
  auto& context = this->context();
  const auto recording = ingest(context, InputFile(std::filesystem::path(source_folder()) / "data/mitdb_205.csv"), {});
  const auto samples = recording.leads.front().samples.span().first(static_cast<std::size_t>(650'000 / test_stride()));
  const auto whole = detect_on<TypeParam>(context, samples, 360, {}, {.keep_envelope = true});
  ASSERT_GT(whole.r_peaks.size(), 2000 / test_stride());
  for (const std::int64_t most : {1, 100'000, 324'999, 1 << 20}) {
    if (left_out()) continue;
    SCOPED_TRACE(most);
    const auto found =
        detect_on<TypeParam>(context, samples, 360, {}, {.keep_envelope = true, .most_window_samples = most});
    EXPECT_EQ(to_host(context, found.r_peaks), to_host(context, whole.r_peaks));
    EXPECT_EQ(found.quality[0].blocks, whole.quality[0].blocks);
    EXPECT_EQ(bits_of(to_host(context, found.envelope)), bits_of(to_host(context, whole.envelope)));
  }
}

TEST(WindowLayout, CoversARecordingOnce) {
  for (const std::int64_t samples : {1, 31, 500, 501, 16'000, 123'457})
    for (const std::int64_t most : {1, 16'000, 50'000, 1 << 20}) {
      constexpr std::int64_t kBlock = 500, kMargin = 53;
      const auto layout = window_layout(samples, kBlock, level_blocks(samples, kBlock), kMargin, most);
      std::int64_t blocks = 0, end = 0;
      for (std::int64_t w = 0; w < layout.windows(); ++w) {
        const Stretch own = layout.own(w), held = layout.held(w);
        EXPECT_EQ(own.first, end);
        EXPECT_EQ(layout.blocks_of(w).first, blocks);
        EXPECT_EQ(level_blocks(own.size(), kBlock), layout.blocks_of(w).size());
        EXPECT_EQ(own.first % 32 + held.first % 32, 0);
        EXPECT_TRUE(held.first == 0 || held.first <= own.first - kMargin);
        EXPECT_TRUE(held.last == samples || held.last >= own.last + kMargin);
        end = own.last;
        blocks = layout.blocks_of(w).last;
      }
      EXPECT_EQ(end, samples);
      EXPECT_EQ(blocks, layout.blocks);
    }
}

// With these options every wiggle is a beat, and an R peak is searched for far beyond the next one.
TYPED_TEST(DetectRPeaks, AreApartAndInOrder) {
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  std::vector<float> x(20'000);
  for (float& value : x) value = normal(random);
  auto& context = this->context();
  DetectOptions options;
  options.distance_s = 0.025;
  options.keep = 0;
  options.t_soon_s = options.t_late_s = 0;
  options.noise_rounds = 0;
  options.peak_reach_s = 0.5;
  options.peak_sigma_s = 1;
  const auto found = to_host(context, detect_on<TypeParam>(context, from_host(context, x), 250, options).r_peaks);
  ASSERT_GT(found.size(), 300u);
  for (std::size_t i = 1; i < found.size(); ++i) ASSERT_LT(found[i - 1], found[i]) << i;
}

// One sample is far out, as after an overflow of the converter. Beats that are far from it are found as without it.
TYPED_TEST(DetectRPeaks, OneSampleFarOutDoesNotHideTheRest) {
  auto& context = this->context();
  const auto recording = ingest(context, InputFile(std::filesystem::path(source_folder()) / "data/mitdb_205.csv"), {});
  auto x = to_host(context, recording.leads.front().samples);
  x.resize(100'000);
  const auto without = this->detected(x, 360);
  x[50'000] = 1e9f;
  const auto with = this->detected(x, 360);
  const auto far = [](std::vector<double> peaks) {  // 30 s from the sample; it changes levels up to 8 s away
    std::erase_if(peaks, [](double peak) { return std::abs(peak - 50'000) < 30 * 360; });
    return peaks;
  };
  const auto expected = far(without), found = far(with);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 0.36);
}

TYPED_TEST(DetectRPeaks, GainPolarityAndOffsetDoNotMatter) {
  auto& context = this->context();
  const auto recording = ingest(context, InputFile(std::filesystem::path(source_folder()) / "data/mitdb_205.csv"), {});
  const auto x = to_host(context, recording.leads.front().samples);
  const auto reference = this->detected(x, 360);
  const auto changed = [&](float gain, float offset) {
    auto y = x;
    for (float& value : y) value = gain * value + offset;
    return this->detected(y, 360);
  };
  for (const auto& [gain, offset] :
       {std::pair(0.2f, 0.0f), std::pair(5.0f, 0.0f), std::pair(-1.0f, 0.0f), std::pair(1.0f, 5.0f)}) {
    if (left_out()) continue;
    const auto found = changed(gain, offset);
    ASSERT_EQ(found.size(), reference.size()) << gain << " " << offset;
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], reference[i], 0.36) << i;
  }
}

TYPED_TEST(DetectRPeaks, FindNothingWhereThereIsNothing) {
  for (const std::size_t n : {1, 2, 10, 1000}) {
    EXPECT_TRUE(this->detected(std::vector<float>(n, 0.0f), 360).empty()) << n;
  }
}

TYPED_TEST(DetectRPeaks, OfNoiseAreAtMostOneInTheDistance) {
  const auto found = this->detected(random_signal(36'000, 4, 2001), 360);
  EXPECT_LT(found.size(), 36'000 / 75);
  EXPECT_TRUE(std::ranges::is_sorted(found));
}

// A small wave 0.385 s after a beat, where a T wave could be, and 1.5 s before the next one.
TYPED_TEST(DetectRPeaks, OfASmallBeatThatIsSharp) {
  constexpr double kWave_s = 30.385;
  const auto finds = [&](double height, double sigma_s, const DetectOptions& options = {}) {
    DrawnLead lead{250};
    for (int beat = 1; beat < 60; ++beat)
      if (beat != 31) {
        const double at_s = beat + (beat > 31 ? -0.1 : 0);
        lead.add(at_s, 1, 0.014), lead.add(at_s + 0.3, 0.2, 0.05);
      }
    lead.add(kWave_s, height, sigma_s);
    auto& context = this->context();
    const auto peaks =
        to_host(context, detect_on<TypeParam>(context, from_host(context, lead.x), 250, options).r_peaks);
    EXPECT_GE(peaks.size(), 58U);
    return std::ranges::any_of(peaks, [&](double peak) { return std::abs(peak / 250 - kWave_s) < 0.03; });
  };
  EXPECT_TRUE(finds(0.27, 0.011));
  EXPECT_FALSE(finds(0.6, 0.04)) << "it is blunt";
  EXPECT_FALSE(finds(0.6, 0.003)) << "it is a spike";
  EXPECT_FALSE(finds(0.27, 0.011, {.sharp_gap = 100}));
  EXPECT_FALSE(finds(0.27, 0.011, {.sharp_height = 1}));
  EXPECT_FALSE(finds(0.27, 0.011, {.sharp_soonest_s = 0.5}));
  EXPECT_FALSE(finds(0.27, 0.011, {.sharp_before = 2}));
  EXPECT_FALSE(finds(0.27, 0.011, {.sharp_least = 2, .sharp_most = 9}));
  EXPECT_FALSE(finds(0.27, 0.011, {.sharp_least = 0, .sharp_most = 1}));
}

}  // namespace
}  // namespace beatscan
