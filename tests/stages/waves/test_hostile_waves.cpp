// Waves in signals that are hardly ECG: undetermined waves are absent, and nothing crashes.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "kernels/waves/amplitudes.h"
#include "kernels/waves/beat_waves.h"
#include "stages/waves/wave_summary.h"
#include "tests/stages/waves/made_waves.h"

namespace beatscan {
namespace {

using namespace waves;

template <class Context>
using HostileWaves = WavesOn<Context>;
TYPED_TEST_SUITE(HostileWaves, Backends, BackendNames);

std::int64_t present(const BeatWaves& found, Fiducial fiducial) {
  std::int64_t count = 0;
  for (std::int64_t b = 0; b < found.beats(); ++b) count += !std::isnan(found.fiducials_of(b)[fiducial]);
  return count;
}

TYPED_TEST(HostileWaves, LeadsWithoutABeatLeaveTheOthersAsTheyAre) {
  const MadeWaves made{.beats_s = beats_every(0.8, 20)};
  const auto lead = made.lead();
  const auto samples = std::ssize(lead);
  const std::vector<float> constant(samples, 0.7F), missing(samples, 0.0F);
  const auto alone = this->found_in({lead}, made.r_peaks(), made.rate_hz);
  const auto found =
      this->found_in({constant, lead, missing}, made.r_peaks(), made.rate_hz, {.gaps = {{}, {}, {{0, samples - 1}}}});
  expect_sound(found, made.r_peaks(), samples, made.rate_hz);
  EXPECT_EQ(bits_of(found.fiducials), bits_of(alone.fiducials));
  EXPECT_EQ(bits_of(found.p_evidence), bits_of(alone.p_evidence));
  for (const std::int64_t l : {0, 2}) {
    for (std::int64_t i = 0; i < 20 * kFiducials; ++i)
      ASSERT_TRUE(std::isnan(found.lead_fiducials[l * 20 * kFiducials + i])) << l;
    for (std::int64_t i = 0; i < 20 * kAmplitudes; ++i)
      ASSERT_TRUE(std::isnan(found.lead_amplitudes[l * 20 * kAmplitudes + i])) << l;
    for (std::int64_t i = 0; i < 20; ++i) ASSERT_TRUE(std::isnan(found.lead_tq_mv[l * 20 + i])) << l;
  }
  const auto nothing =
      this->found_in({constant, missing}, made.r_peaks(), made.rate_hz, {.gaps = {{}, {{0, samples - 1}}}});
  EXPECT_EQ(present(nothing, kQrsOnset) + present(nothing, kPOnset) + present(nothing, kTOnset), 0);
  for (const float evidence : nothing.p_evidence) EXPECT_EQ(evidence, 0);
}

TYPED_TEST(HostileWaves, OfTwoBeatsAreThere) {
  const MadeWaves made{.beats_s = {0.6, 1.4}};
  const auto found = this->found_in({made.lead()}, made.r_peaks(), made.rate_hz);
  expect_sound(found, made.r_peaks(), std::ssize(made.lead()), made.rate_hz);
  EXPECT_EQ(present(found, kTOffset), 2);
  EXPECT_FALSE(std::isnan(found.qtc_ms[0]));
}

TYPED_TEST(HostileWaves, OfTheSlowestAndTheFastestSampling) {
  for (const double rate_hz : {60.0, 5000.0}) {
    SCOPED_TRACE(rate_hz);
    const MadeWaves made{.rate_hz = rate_hz, .beats_s = beats_every(0.8, 12)};
    const auto found = this->found_in({made.lead()}, made.r_peaks(), rate_hz);
    expect_sound(found, made.r_peaks(), std::ssize(made.lead()), rate_hz);
    for (int beat = 1; beat < 11; ++beat) {
      EXPECT_NEAR(found.fiducials_of(beat)[kPPeak], -40, 6);
      EXPECT_NEAR(found.fiducials_of(beat)[kTPeak], 67, 4);
    }
  }
}

// Samples of 200 ms are missing at one wave of beat 10: that wave is absent in this beat alone.
TYPED_TEST(HostileWaves, AreAbsentWhereSamplesAreMissing) {
  const MadeWaves made{.beats_s = beats_every(0.8, 20)};
  const auto whole = this->found_in({made.lead()}, made.r_peaks(), made.rate_hz);
  struct Missing {
    double from_s, to_s;  // from R
    Fiducial absent;
  };
  for (const auto& [from_s, to_s, absent] :
       {Missing{-0.26, -0.06, kPOnset}, Missing{-0.1, 0.1, kQrsOnset}, Missing{0.14, 0.46, kTOnset}}) {
    SCOPED_TRACE(absent);
    auto lead = made.lead();
    const double r = made.r_peaks()[10];
    const Gaps gap{
        {static_cast<std::int64_t>(r + from_s * made.rate_hz), static_cast<std::int64_t>(r + to_s * made.rate_hz)}};
    for (auto i = gap[0].first; i <= gap[0].second; ++i) lead[i] = 5;  // is not to be read
    const auto found = this->found_in({lead}, made.r_peaks(), made.rate_hz, {.gaps = {gap}});
    expect_sound(found, made.r_peaks(), std::ssize(lead), made.rate_hz);
    for (int beat = 0; beat < 20; ++beat)
      for (const Fiducial fiducial : {kPOnset, kQrsOnset, kTOnset})
        EXPECT_EQ(std::isnan(found.fiducials_of(beat)[fiducial]), beat == 10 && fiducial == absent)
            << "beat " << beat << " fiducial " << fiducial;
    if (absent == kPOnset) {
      EXPECT_LT(found.p_evidence[10], 0.1F);
    }
    EXPECT_TRUE(found.non_conducted.empty());
  }
}

TYPED_TEST(HostileWaves, AreAbsentWhereMostOfTheWindowIsMissing) {
  const MadeWaves made{.beats_s = beats_every(0.8, 20)};
  const auto at = [&](double s) { return static_cast<std::int64_t>(s * made.rate_hz); };
  const double r_s = made.beats_s[10];
  const Gaps gaps{{at(r_s - 0.5), at(r_s - 0.08)}, {at(r_s + 0.08), at(r_s + 0.6)}};  // QRS is there
  const auto found = this->found_in({made.lead()}, made.r_peaks(), made.rate_hz, {.gaps = {gaps}});
  for (const float fiducial : found.fiducials_of(10)) EXPECT_TRUE(std::isnan(fiducial));
  EXPECT_EQ(found.p_evidence[10], 0);
  EXPECT_FALSE(std::isnan(found.fiducials_of(8)[kQrsOnset]));
}

// A long gap between two beats has no P waves in it.
TYPED_TEST(HostileWaves, AreNotFoundInALongGap) {
  auto beats = beats_every(0.8, 30);
  beats.erase(beats.begin() + 10, beats.begin() + 20);
  const MadeWaves made{.beats_s = beats};
  const auto at = [&](double s) { return static_cast<std::int64_t>(s * made.rate_hz); };
  const Gaps gap{{at(beats[9] + 0.5), at(beats[10] - 0.4)}};
  const auto found = this->found_in({made.lead()}, made.r_peaks(), made.rate_hz, {.gaps = {gap}});
  expect_sound(found, made.r_peaks(), std::ssize(made.lead()), made.rate_hz);
  EXPECT_TRUE(found.non_conducted.empty());
}

TYPED_TEST(HostileWaves, OfGainsOfAThousand) {
  const MadeWaves made{.beats_s = beats_every(0.8, 12)};
  const auto usual = this->found_in({made.lead()}, made.r_peaks(), made.rate_hz);
  for (const double size : {1000.0, 0.01}) {
    SCOPED_TRACE(size);
    MadeWaves other = made;
    other.size = size;
    const auto found = this->found_in({other.lead()}, made.r_peaks(), made.rate_hz);
    expect_sound(found, made.r_peaks(), std::ssize(made.lead()), made.rate_hz);
    for (int beat = 0; beat < 12; ++beat)
      EXPECT_NEAR(found.fiducials_of(beat)[kTOffset], usual.fiducials_of(beat)[kTOffset], 0.05);
    EXPECT_NEAR(found.lead_amplitudes[5 * kAmplitudes + kTAmplitude] / size, 0.3, 0.05);
  }
  MadeWaves tiny = made;
  tiny.size = 0.001;  // R waves of 1 uV: the lead counts as flat
  const auto found = this->found_in({tiny.lead()}, made.r_peaks(), made.rate_hz);
  expect_sound(found, made.r_peaks(), std::ssize(made.lead()), made.rate_hz);
}

TYPED_TEST(HostileWaves, OfSaturatedLeadsAreSound) {
  const MadeWaves made{.beats_s = beats_every(0.8, 20)};
  for (const float limit : {0.3F, 0.02F, 0.001F}) {
    SCOPED_TRACE(limit);
    auto lead = made.lead();
    for (auto& value : lead) value = std::clamp(value, -limit, limit);
    expect_sound(this->found_in({lead}, made.r_peaks(), made.rate_hz), made.r_peaks(), std::ssize(lead), made.rate_hz);
  }
}

// Beats on the first and the last sample, and on neighbouring ones: no wave lies beyond the recording.
TYPED_TEST(HostileWaves, AtTheEdgesStayWithinTheRecording) {
  const MadeWaves made{.beats_s = beats_every(0.8, 12), .behind_s = 0.03};
  const auto lead = made.lead();
  const auto samples = static_cast<double>(lead.size());
  auto r_peaks = made.r_peaks();
  const auto found = this->found_in({lead}, r_peaks, made.rate_hz);
  expect_sound(found, r_peaks, std::ssize(lead), made.rate_hz);
  EXPECT_FALSE(std::isnan(found.fiducials_of(11)[kPOnset]));
  EXPECT_TRUE(std::isnan(found.fiducials_of(11)[kQrsOnset])) << "its offset was not recorded";
  EXPECT_TRUE(std::isnan(found.fiducials_of(11)[kTOnset]));
  const MadeWaves early{.beats_s = beats_every(0.8, 12)};
  auto cut = early.lead();
  cut.erase(cut.begin(), cut.begin() + static_cast<std::int64_t>(0.42 * early.rate_hz));  // within the first P wave
  auto places = early.r_peaks();
  for (double& place : places) place -= std::floor(0.42 * early.rate_hz);
  const auto truncated = this->found_in({cut}, places, early.rate_hz);
  EXPECT_TRUE(std::isnan(truncated.fiducials_of(0)[kPOnset])) << "its onset was not recorded";
  EXPECT_FALSE(std::isnan(truncated.fiducials_of(0)[kQrsOnset]));
  EXPECT_FALSE(std::isnan(truncated.fiducials_of(1)[kPOnset]));
  r_peaks.insert(r_peaks.begin(), {0, 0.5, 1});
  r_peaks.insert(r_peaks.end(), {samples - 1.25, samples - 1});
  expect_sound(this->found_in({lead}, r_peaks, made.rate_hz), r_peaks, std::ssize(lead), made.rate_hz);
  expect_sound(this->found_in({{0.5F}}, {0}, 250), {0}, 1, 250);
}

TYPED_TEST(HostileWaves, OfTheFastestAndTheSlowestHeart) {
  for (const double rr_s : {0.2, 10.0}) {
    SCOPED_TRACE(rr_s);
    const MadeWaves made{.beats_s = beats_every(rr_s, 12)};
    const auto found = this->found_in({made.lead()}, made.r_peaks(), made.rate_hz);
    expect_sound(found, made.r_peaks(), std::ssize(made.lead()), made.rate_hz);
    EXPECT_EQ(present(found, kQrsOnset), 12);
    EXPECT_TRUE(found.non_conducted.empty());
    if (rr_s > 1) {
      EXPECT_EQ(present(found, kTOffset), 12);
      EXPECT_NEAR(found.qtc_ms[5], corrected_qt(wave_intervals(found.fiducials_of(5)).qt, 10, QtCorrection::fridericia),
                  1);
    }
  }
}

TYPED_TEST(HostileWaves, HaveAnStLevelWhereverItIsMeasured) {
  const MadeWaves made{.beats_s = beats_every(0.8, 12)};
  for (const double after_s : {-1.0, 0.0, 0.2, 100.0}) {
    SCOPED_TRACE(after_s);
    const auto found =
        this->found_in({made.lead()}, made.r_peaks(), made.rate_hz, {.options = {.st_after_j_s = after_s}});
    expect_sound(found, made.r_peaks(), std::ssize(made.lead()), made.rate_hz);
    EXPECT_EQ(std::isnan(found.st_mv[5]), after_s == 100) << "after the T wave";
  }
}

// Noise, steps, and values as large as floats are.
TYPED_TEST(HostileWaves, OfNoEcgAreSound) {
  std::mt19937_64 random(3);
  std::normal_distribution<float> noise(0, 1);
  for (const float size : {1e-30F, 1.0F, 1e5F, 1e15F, 1e30F}) {
    SCOPED_TRACE(size);
    std::vector<float> lead(20'000), steps(20'000);
    for (auto& value : lead) value = size * noise(random);
    for (std::size_t i = 0; i < steps.size(); ++i) steps[i] = i / 700 % 2 ? size : -size;
    std::vector<double> r_peaks;
    for (double at = 30; at < 19'990; at += 20 + static_cast<double>(random() % 700)) r_peaks.push_back(at);
    expect_sound(this->found_in({lead, steps}, r_peaks, 250), r_peaks, 20'000, 250);
  }
}

std::vector<double> many_beats(std::int64_t count, double rr_samples) {
  std::vector<double> r_peaks;
  for (std::int64_t b = 0; b < count; ++b) r_peaks.push_back(rr_samples * static_cast<double>(b) + 20);
  return r_peaks;
}

TYPED_TEST(HostileWaves, OfManyBeatsInTinyRanges) {
  const auto r_peaks = many_beats(3'000, 15);
  std::mt19937_64 random(5);
  std::vector<float> lead(45'040);
  for (auto& value : lead) value = static_cast<float>(random() % 1000) / 1000;
  const std::vector leads{lead, std::vector<float>(lead.rbegin(), lead.rend())};
  const auto whole = this->found_in(leads, r_peaks, 60);
  expect_same(this->found_in(leads, r_peaks, 60, {.range_beats = 7}), whole);
}

// 200,000 beats take half a minute.
TYPED_TEST(HostileWaves, DISABLED_OfTwoHundredThousandBeatsInTinyRanges) {
  const auto r_peaks = many_beats(200'000, 15);
  std::mt19937_64 random(5);
  std::vector<float> lead(3'000'040);
  for (auto& value : lead) value = static_cast<float>(random() % 1000) / 1000;
  const std::vector leads{lead, std::vector<float>(lead.rbegin(), lead.rend())};
  const auto whole = this->found_in(leads, r_peaks, 60);
  expect_sound(whole, r_peaks, std::ssize(lead), 60);
  expect_same(this->found_in(leads, r_peaks, 60, {.range_beats = 5}), whole);
}

}  // namespace
}  // namespace beatscan
