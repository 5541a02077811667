#include "stages/episodes/fast_rhythm.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>
#include <utility>

#include "stages/beats/detect_options.h"
#include "stages/episodes/episode_options.h"
#include "stages/methods/around_r_peaks.h"
#include "stages/quality/quality_options.h"
#include "tests/support/backends.h"
#include "tests/support/recorded_leads.h"

namespace beatscan {
namespace {

constexpr double kFastRate = 250;  // Hz

// Returns R peaks at this rate from 0.2 s up to so many seconds.
std::vector<double> even_peaks(double bpm, double seconds) {
  std::vector<double> peaks;
  for (double t = 0.2; t < seconds; t += 60 / bpm) peaks.push_back(t * kFastRate);
  return peaks;
}

std::size_t fast_count(const std::vector<double>& peaks) { return fast_rhythms(peaks, kFastRate).size(); }

TEST(FastRhythms, LastForSeconds) {
  EXPECT_EQ(fast_count({}), 0u);
  EXPECT_EQ(fast_count({10}), 0u);
  EXPECT_EQ(fast_count(even_peaks(230, 8)), 0u) << "short ones often turn into fibrillation";
  const auto found = fast_rhythms(even_peaks(230, 9), kFastRate);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].first, 0) << "up to the start";
  EXPECT_GT(found[0].last, static_cast<std::int64_t>(9 * kFastRate)) << "and the end";
}

TEST(FastRhythms, AreAsFastAsThat) {
  EXPECT_EQ(fast_count(even_peaks(108, 60)), 0u);
  EXPECT_EQ(fast_count(even_peaks(112, 60)), 1u);
  EXPECT_EQ(fast_count(even_peaks(253, 60)), 1u);
  EXPECT_EQ(fast_count(even_peaks(257, 60)), 0u);
}

TEST(FastRhythms, AreEven) {
  auto peaks = even_peaks(230, 60);
  for (std::size_t i = 0; i < peaks.size(); i += 20) peaks[i] += 15;
  EXPECT_EQ(fast_count(peaks), 1u) << "one beat of 20 is early";
  for (std::size_t i = 0; i < peaks.size(); i += 6) peaks[i] += 15;
  EXPECT_EQ(fast_count(peaks), 0u) << "fibrillation";
}

TEST(FastRhythms, BeginWhereTheRateChanges) {
  auto peaks = even_peaks(75, 40);
  const double first = peaks.back() + 50;
  for (const double peak : even_peaks(220, 40)) peaks.push_back(first + peak);
  const auto found = fast_rhythms(peaks, kFastRate);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(static_cast<double>(found[0].first), first, 3 * kFastRate * 60 / 220);
}

template <class Context>
class MarkFastRhythms : public OnBackend<Context> {
 protected:
  using Leads = std::vector<std::vector<float>>;

  // Returns a lead of beats at this rate: a QRS complex of this width, and a T wave after it.
  static std::vector<float> lead_of(double bpm, double width_s, double seconds, double height = 1) {
    std::vector<float> x(static_cast<std::size_t>(seconds * kFastRate));
    const double rr = 60 / bpm;
    const auto wave = [](double t, double sigma) { return std::exp(-t * t / (2 * sigma * sigma)); };
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double t = static_cast<double>(i) / kFastRate, phase = std::remainder(t - 0.2, rr);
      double value = 0.01 * std::sin(0.7 * static_cast<double>(i * i % 1009));  // noise
      for (const double from : {phase - rr, phase, phase + rr})
        value +=
            height * (wave(from, width_s) - 0.3 * wave(from - 2 * width_s, width_s) + 0.2 * wave(from - 0.13, 0.032));
      x[i] = static_cast<float>(value);
    }
    return x;
  }

  // Returns the share of good blocks of each lead, before or after the marking.
  std::vector<double> good_shares(const Leads& leads, bool marked) {
    auto& context = this->context();
    const auto recording = recording_of_leads(context, leads);
    auto detection = detect_r_peaks<Context>(context, lead_signals(recording), {}, {}, kFastRate);
    if (marked)
      mark_fast_rhythms<Context>(context, recording, detection.profile, to_host(context, detection.r_peaks),
                                 detection.quality, kFastRate, {}, {});
    std::vector<double> shares;
    for (const auto& its : detection.quality)
      shares.push_back(static_cast<double>(std::ranges::count(its.blocks, Quality::good)) /
                       static_cast<double>(its.blocks.size()));
    return shares;
  }
};
TYPED_TEST_SUITE(MarkFastRhythms, Backends, BackendNames);

using Shares = std::vector<double>;

TYPED_TEST(MarkFastRhythms, NarrowAndWideBeatsAreGoodSignal) {
  for (const double bpm : {220, 230, 239})
    for (const double width_s : {0.011, 0.030, 0.042}) {
      SCOPED_TRACE(testing::Message() << bpm << " a minute, " << width_s << " s");
      const auto lead = this->lead_of(bpm, width_s, 60);
      EXPECT_LT(this->good_shares({lead}, false)[0], 0.2);
      EXPECT_EQ(this->good_shares({lead}, true), Shares{1});
    }
}

TYPED_TEST(MarkFastRhythms, EachLeadIsJudgedForItself) {
  auto noise = this->lead_of(230, 0.011, 60);
  std::mt19937 random(1);
  std::normal_distribution<float> normal(0, 0.2F);
  for (float& value : noise) value += normal(random);
  const auto other = this->lead_of(230, 0.025, 60, -0.5);
  EXPECT_EQ(this->good_shares({this->lead_of(230, 0.011, 60), other}, true), (Shares{1, 1}));
  EXPECT_EQ(this->good_shares({this->lead_of(230, 0.011, 60), noise}, true), (Shares{1, 0}));
}

TYPED_TEST(MarkFastRhythms, FibrillationStaysNoisy) {
  std::vector<float> x(static_cast<std::size_t>(60 * kFastRate));
  double phase = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double t = static_cast<double>(i) / kFastRate;
    phase += 2 * std::numbers::pi * (4.2 + 1.3 * std::sin(1.9 * t) + 0.7 * std::sin(4.3 * t)) / kFastRate;
    x[i] = static_cast<float>((1 + 0.5 * std::sin(0.9 * t)) * std::sin(phase) + 0.4 * std::sin(1.7 * phase));
  }
  EXPECT_EQ(this->good_shares({x}, true), this->good_shares({x}, false));
  EXPECT_LT(this->good_shares({x}, true)[0], 0.2);
}

// A tachycardia of so many seconds in sinus rhythm. Only blocks that lie within it as a whole are marked.
TYPED_TEST(MarkFastRhythms, ARunOfWideBeatsIsGoodSignalFromEightSecondsOn) {
  for (const auto& [bpm, width_s, seconds, is_marked] :
       {std::tuple{225, 0.030, 20, true}, {150, 0.050, 20, true}, {225, 0.030, 7, false}}) {
    SCOPED_TRACE(testing::Message() << bpm << " a minute for " << seconds << " s");
    auto x = this->lead_of(75, 0.011, 160);
    const auto fast = this->lead_of(bpm, width_s, seconds);
    std::copy(fast.begin(), fast.end(), x.begin() + 30 * static_cast<int>(kFastRate));
    const auto before = this->good_shares({x}, false)[0], after = this->good_shares({x}, true)[0];
    EXPECT_LT(before, 0.97);
    if (is_marked)
      EXPECT_GE(after, 0.97) << before;
    else
      EXPECT_EQ(after, before);
  }
}

// A tachycardia that takes a third of the recording may be its usual rhythm.
TYPED_TEST(MarkFastRhythms, ALongOneStaysNoisyUnlessItIsVeryFast) {
  for (const auto& [bpm, is_marked] : {std::pair{150, false}, {225, true}}) {
    auto x = this->lead_of(75, 0.011, 120);
    const auto fast = this->lead_of(bpm, 0.045, 40);
    std::copy(fast.begin(), fast.end(), x.begin() + 30 * static_cast<int>(kFastRate));
    const auto before = this->good_shares({x}, false)[0], after = this->good_shares({x}, true)[0];
    EXPECT_LT(before, 0.75) << bpm;
    EXPECT_EQ(after > before, is_marked) << bpm;
  }
}

// Somebody brushes the teeth: the beats below the artefact differ from one wave to the next, or are small
// beside it.
TYPED_TEST(MarkFastRhythms, AnArtefactThatComesEvenlyStaysNoisy) {
  for (const double times : {0.7, 1.0, 2.0, 4.0}) {
    auto x = this->lead_of(75, 0.011, 160);
    for (std::size_t i = 30 * static_cast<std::size_t>(kFastRate); i < 55 * static_cast<std::size_t>(kFastRate); ++i) {
      const double phase = 2 * std::numbers::pi * 2.7 * static_cast<double>(i) / kFastRate;
      x[i] += static_cast<float>(times * (std::sin(phase) + 0.4 * std::sin(2 * phase + 0.7)));
    }
    EXPECT_LT(this->good_shares({x}, false)[0], 0.9);
    EXPECT_EQ(this->good_shares({x}, true), this->good_shares({x}, false)) << times;
  }
}

// A sine has even beats, but some are not found, and they are faster than 240 a minute: that is VFL.
TYPED_TEST(MarkFastRhythms, FlutterStaysNoisy) {
  std::vector<float> x(static_cast<std::size_t>(60 * kFastRate));
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(std::sin(2 * std::numbers::pi * 4.1 * static_cast<double>(i) / kFastRate));
  EXPECT_EQ(this->good_shares({x}, true), this->good_shares({x}, false));
}

}  // namespace
}  // namespace beatscan
