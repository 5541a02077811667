#include "stages/waves/waves.h"

#include <cmath>
#include <vector>

#include "kernels/waves/amplitudes.h"
#include "kernels/waves/beat_waves.h"
#include "stages/waves/wave_summary.h"
#include "tests/stages/waves/made_waves.h"

namespace beatscan {
namespace {

using namespace waves;

template <class Context>
using Waves = WavesOn<Context>;
TYPED_TEST_SUITE(Waves, Backends, BackendNames);

// A wave of a Gaussian of 22 ms begins and ends some 50 ms from its middle.
TYPED_TEST(Waves, AreWhereTheyWereMade) {
  const MadeWaves made{.beats_s = beats_every(0.8, 20), .without_p_s = {0.6 + 0.8 * 9}};
  const auto found = this->found_in({made.lead()}, made.r_peaks(), made.rate_hz);
  ASSERT_EQ(found.beats(), 20);
  for (int beat = 1; beat < 19; ++beat) {
    SCOPED_TRACE(beat);
    const auto at = found.fiducials_of(beat);
    EXPECT_NEAR(at[kPPeak], -0.16 * 250, 5);
    EXPECT_NEAR(at[kTPeak], 0.27 * 250, 2);
    const auto intervals = wave_intervals(at);
    EXPECT_NEAR(intervals.pr, 160, 40);
    EXPECT_NEAR(intervals.qrs, 90, 30);
    EXPECT_NEAR(intervals.qt, 420, 50);
    EXPECT_NEAR(found.qtc_ms[beat], corrected_qt(intervals.qt, 0.8, QtCorrection::fridericia), 1);
    EXPECT_NEAR(found.lead_amplitudes[beat * kAmplitudes + kPAmplitude], 0.12, 0.03);
    EXPECT_NEAR(found.lead_amplitudes[beat * kAmplitudes + kTAmplitude], 0.3, 0.05);
    EXPECT_EQ(found.p_evidence[beat] > 0.5F, beat != 9) << "of single beats";
    if (beat != 9) {
      EXPECT_GT(found.p_similarity[beat], 0.8F);
    }
    for (int wave = 0; wave < kMasks; ++wave) EXPECT_GT(found.confidence[beat * kMasks + wave], 0.9F) << wave;
  }
}

TYPED_TEST(Waves, APWaveAloneIsNotConducted) {
  auto beats = beats_every(0.8, 12);
  beats.erase(beats.begin() + 6);  // blocked: its P wave stays
  const MadeWaves made{.beats_s = beats, .p_alone_s = {0.6 + 0.8 * 6 - 0.16}};
  const auto found = this->found_in({made.lead()}, made.r_peaks(), made.rate_hz);
  ASSERT_EQ(found.non_conducted.size(), 1U);
  EXPECT_EQ(found.non_conducted[0].beat, 5);
  EXPECT_NEAR((found.non_conducted[0].onset + found.non_conducted[0].offset) / 2 / made.rate_hz, 5.24, 0.02);
}

TYPED_TEST(Waves, DoNotDependOnHowManyBeatsAreTakenAtATime) {
  auto beats = beats_every(0.8, 40);
  beats.erase(beats.begin() + 10);
  const MadeWaves made{.beats_s = beats, .p_alone_s = {0.6 + 0.8 * 10 - 0.16}};
  MadeWaves other = made;
  other.gain = -0.6;
  const std::vector signals{made.lead(), other.lead()};
  const auto whole = this->found_in(signals, made.r_peaks(), made.rate_hz);
  EXPECT_EQ(whole.non_conducted.size(), 1U);
  for (const std::int64_t range_beats : {2, 9, 10, 11, 39}) {
    SCOPED_TRACE(range_beats);
    expect_same(this->found_in(signals, made.r_peaks(), made.rate_hz, {.range_beats = range_beats}), whole);
  }
}

TYPED_TEST(Waves, DoNotDependOnTheNumberOfThreads) {
  if constexpr (std::is_same_v<TypeParam, Cpu>) {
    const MadeWaves made{.beats_s = beats_every(0.7, 700)};
    Cpu one(1);
    const auto alone = this->found_on(one, {made.lead()}, made.r_peaks(), made.rate_hz);
    for (const int threads : {2, 3, 16}) {
      SCOPED_TRACE(threads);
      Cpu several(threads);
      expect_same(this->found_on(several, {made.lead()}, made.r_peaks(), made.rate_hz), alone);
    }
  }
}

TYPED_TEST(Waves, OfOtherUnitsAndRatesAreTheSame) {
  for (const double rate_hz : {128.0, 250.0, 1000.0}) {
    SCOPED_TRACE(rate_hz);
    const MadeWaves made{.rate_hz = rate_hz, .beats_s = beats_every(0.8, 12)};
    auto microvolts = made.lead();
    for (auto& value : microvolts) value *= 1000;
    const auto in_mv = this->found_in({made.lead()}, made.r_peaks(), rate_hz);
    const auto in_uv = this->found_in({microvolts}, made.r_peaks(), rate_hz, {.unit = "uV"});
    const auto without_unit = this->found_in({microvolts}, made.r_peaks(), rate_hz, {.unit = ""});
    for (int beat = 1; beat < 11; ++beat) {
      EXPECT_NEAR(in_mv.fiducials_of(beat)[kPPeak], -40, 5);
      for (const auto& other : {in_uv, without_unit})
        for (const int at : {kPOnset, kQrsOnset, kQrsOffset, kTOffset})
          EXPECT_NEAR(other.fiducials_of(beat)[at], in_mv.fiducials_of(beat)[at], 0.05) << at;
      EXPECT_NEAR(in_uv.st_mv[beat], in_mv.st_mv[beat], 1e-3);
    }
  }
}

TYPED_TEST(Waves, OfAFlatLeadAreAbsentAndOfOneBeatAreThere) {
  const MadeWaves made{.beats_s = {0.6}};
  const auto flat = this->found_in({std::vector<float>(540, 0.5F)}, made.r_peaks(), made.rate_hz);
  ASSERT_EQ(flat.beats(), 1);
  EXPECT_TRUE(std::isnan(wave_intervals(flat.fiducials_of(0)).qt));
  EXPECT_TRUE(std::isnan(flat.qtc_ms[0]));
  const auto one = this->found_in({made.lead()}, made.r_peaks(), made.rate_hz);
  EXPECT_NEAR(one.fiducials_of(0)[kTPeak], 67, 2);
  EXPECT_TRUE(std::isnan(one.qtc_ms[0])) << "there is no RR interval";
}

// Noise between T waves and QRS complexes shows a P wave here and there, of which the confidence is small.
TYPED_TEST(Waves, UncertainPWavesAreLeftOut) {
  const auto beats = beats_every(0.8, 60);
  const MadeWaves with{.beats_s = beats}, without{.beats_s = beats, .without_p_s = beats};
  auto noise = without.lead();
  std::uint32_t state = 9;
  float slow = 0;
  for (auto& value : noise) {
    const double white = (state = state * 1'664'525 + 1'013'904'223) / 4294967296.0 - 0.5;
    slow += 0.1F * (static_cast<float>(white) - slow);
    value += 0.6F * slow;
  }
  const auto found = this->found_in({noise}, without.r_peaks(), without.rate_hz);
  const auto count = [](const BeatWaves& of, auto&& counts) {
    std::int64_t number = 0;
    for (std::int64_t beat = 0; beat < of.beats(); ++beat) number += counts(beat);
    return number;
  };
  const auto left_out = [&](std::int64_t beat) { return found.confidence[beat * kMasks + kMaskP] < 0.5F; };
  EXPECT_GT(count(found, left_out), 0);
  for (std::int64_t beat = 0; beat < found.beats(); ++beat) {
    if (!left_out(beat)) continue;
    EXPECT_TRUE(std::isnan(found.fiducials_of(beat)[kPOnset]));
    EXPECT_TRUE(std::isnan(found.lead_fiducials[beat * kFiducials + kPOffset]));
    EXPECT_TRUE(std::isnan(found.lead_amplitudes[beat * kAmplitudes + kPAmplitude]));
    EXPECT_TRUE(std::isnan(wave_intervals(found.fiducials_of(beat)).pr));
    EXPECT_FALSE(std::isnan(found.fiducials_of(beat)[kQrsOnset]));
  }
  const auto clean = this->found_in({with.lead()}, with.r_peaks(), with.rate_hz);
  EXPECT_EQ(count(clean, [&](std::int64_t beat) { return !std::isnan(clean.fiducials_of(beat)[kPOnset]); }), 60);
}

TYPED_TEST(Waves, AreTakenOffBeats) {
  auto beats = beats_every(0.8, 12);
  beats.erase(beats.begin() + 6);
  const MadeWaves made{.beats_s = beats, .p_alone_s = {0.6 + 0.8 * 6 - 0.16}};
  auto found = this->found_in({made.lead(), made.lead()}, made.r_peaks(), made.rate_hz);
  const auto whole = found;
  std::vector<std::uint8_t> without(11);
  without[2] = 1;
  take_waves_off(found, without);
  EXPECT_EQ(found.non_conducted.size(), 1U);
  for (int beat = 0; beat < 11; ++beat) {
    SCOPED_TRACE(beat);
    EXPECT_EQ(std::isnan(found.fiducials_of(beat)[kQrsOnset]), beat == 2);
    EXPECT_EQ(std::isnan(found.st_mv[beat]), beat == 2);
    EXPECT_EQ(std::isnan(found.p_evidence[beat]), beat == 2);
    EXPECT_EQ(std::isnan(found.confidence[beat * kMasks + kMaskQrs]), beat == 2);
    for (int l = 0; l < 2; ++l) {
      EXPECT_EQ(std::isnan(found.lead_fiducials[(l * 11 + beat) * kFiducials + kTOffset]), beat == 2);
      EXPECT_EQ(std::isnan(found.lead_amplitudes[(l * 11 + beat) * kAmplitudes + kTAmplitude]), beat == 2);
    }
    if (beat != 2) {
      EXPECT_EQ(found.fiducials_of(beat)[kTOffset], whole.fiducials_of(beat)[kTOffset]);
    }
  }
  for (const int beside : {5, 6}) {
    auto other = whole;
    without.assign(11, 0);
    without[beside] = 1;
    take_waves_off(other, without);
    EXPECT_TRUE(other.non_conducted.empty()) << beside;
  }
}

TYPED_TEST(Waves, OfNoBeatOrAnotherRateAreNone) {
  const MadeWaves made{.beats_s = beats_every(0.8, 4)};
  EXPECT_EQ(this->found_in({made.lead()}, {}, made.rate_hz).beats(), 0);
  EXPECT_EQ(this->found_in({made.lead()}, made.r_peaks(), 59).beats(), 0);
  EXPECT_EQ(this->found_in({made.lead()}, made.r_peaks(), 5001).beats(), 0);
}

}  // namespace
}  // namespace beatscan
