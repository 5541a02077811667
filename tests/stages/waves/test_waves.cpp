#include "stages/waves/waves.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "app/run/wave_model.h"
#include "kernels/waves/amplitudes.h"
#include "kernels/waves/beat_waves.h"
#include "stages/recording/recording.h"
#include "stages/waves/wave_intervals.h"
#include "stages/waves/wave_options.h"
#include "tests/support/backends.h"
#include "tests/support/recorded_leads.h"

namespace beatscan {
namespace {

using namespace waves;

// Beats with P waves 160 ms before and T waves 270 ms behind R, but for beats without a P wave and P waves alone.
struct MadeWaves {
  double rate_hz = 360;
  std::vector<double> beats_s, without_p_s = {}, p_alone_s = {};
  double gain = 1;

  std::vector<float> lead() const {
    std::vector<float> x(static_cast<std::size_t>((beats_s.back() + 0.9) * rate_hz));
    unsigned noise = 7;
    for (auto& value : x)
      value = static_cast<float>(0.01 * ((noise = noise * 1'664'525 + 1'013'904'223) / 4294967296.0 - 0.5));
    for (const double at : beats_s) {
      if (std::ranges::find(without_p_s, at) == without_p_s.end()) add(x, at - 0.16, 0.022, 0.12);
      add(x, at - 0.025, 0.008, -0.1 * gain);
      add(x, at, 0.012, 1.1 * gain);
      add(x, at + 0.03, 0.01, -0.25 * gain);
      add(x, at + 0.27, 0.045, 0.3 * gain);
    }
    for (const double at : p_alone_s) add(x, at, 0.022, 0.12);
    return x;
  }
  std::vector<double> r_peaks() const {
    std::vector<double> peaks;
    for (const double at : beats_s) peaks.push_back(std::round(at * rate_hz));
    return peaks;
  }

 private:
  void add(std::vector<float>& x, double at_s, double width_s, double height_mv) const {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double apart = (static_cast<double>(i) / rate_hz - at_s) / width_s;
      if (std::abs(apart) < 6) x[i] += static_cast<float>(height_mv * std::exp(-0.5 * apart * apart));
    }
  }
};

std::vector<double> every(double rr_s, int beats) {
  std::vector<double> at;
  for (int i = 0; i < beats; ++i) at.push_back(0.6 + rr_s * i);
  return at;
}

template <class Context>
class Waves : public OnBackend<Context> {
 protected:
  BeatWaves found_in(const std::vector<std::vector<float>>& signals, const std::vector<double>& r_peaks, double rate_hz,
                     std::int64_t range_beats = 0, const std::string& unit = "mV") {
    auto recording = recording_of_leads(this->context(), signals);
    std::vector<std::int64_t> leads;
    for (auto& lead : recording.leads) {
      lead.unit = unit;
      leads.push_back(std::ssize(leads));
    }
    const std::vector<std::int32_t> templates(r_peaks.size(), 0);
    const std::vector<std::uint8_t> broken(std::max<std::size_t>(r_peaks.size(), 1) - 1, 0);
    return delineate(this->context(), recording, leads, {r_peaks, templates, broken}, wave_model("").net, {}, rate_hz,
                     range_beats);
  }
};
TYPED_TEST_SUITE(Waves, Backends, BackendNames);

// A wave of a Gaussian of 22 ms begins and ends some 50 ms from its middle.
TYPED_TEST(Waves, AreWhereTheyWereMade) {
  const MadeWaves made{.beats_s = every(0.8, 20), .without_p_s = {0.6 + 0.8 * 9}};
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
    if (beat != 9) EXPECT_GT(found.p_similarity[beat], 0.8F);
  }
}

TYPED_TEST(Waves, APWaveAloneIsNotConducted) {
  auto beats = every(0.8, 12);
  beats.erase(beats.begin() + 6);  // blocked: its P wave stays
  const MadeWaves made{.beats_s = beats, .p_alone_s = {0.6 + 0.8 * 6 - 0.16}};
  const auto found = this->found_in({made.lead()}, made.r_peaks(), made.rate_hz);
  ASSERT_EQ(found.non_conducted.size(), 1U);
  EXPECT_EQ(found.non_conducted[0].beat, 5);
  EXPECT_NEAR((found.non_conducted[0].onset + found.non_conducted[0].offset) / 2 / made.rate_hz, 5.24, 0.02);
}

TYPED_TEST(Waves, DoNotDependOnHowManyBeatsAreTakenAtATime) {
  auto beats = every(0.8, 40);
  beats.erase(beats.begin() + 10);
  const MadeWaves made{.beats_s = beats, .p_alone_s = {0.6 + 0.8 * 10 - 0.16}};
  MadeWaves other = made;
  other.gain = -0.6;
  const std::vector signals{made.lead(), other.lead()};
  const auto whole = this->found_in(signals, made.r_peaks(), made.rate_hz);
  EXPECT_EQ(whole.non_conducted.size(), 1U);
  for (const std::int64_t range_beats : {2, 9, 10, 11, 39}) {
    SCOPED_TRACE(range_beats);
    const auto found = this->found_in(signals, made.r_peaks(), made.rate_hz, range_beats);
    EXPECT_EQ(bits_of(found.fiducials), bits_of(whole.fiducials));
    EXPECT_EQ(bits_of(found.lead_fiducials), bits_of(whole.lead_fiducials));
    EXPECT_EQ(bits_of(found.lead_amplitudes), bits_of(whole.lead_amplitudes));
    EXPECT_EQ(bits_of(found.p_evidence), bits_of(whole.p_evidence));
    EXPECT_EQ(bits_of(found.p_similarity), bits_of(whole.p_similarity));
    EXPECT_EQ(bits_of(found.lead_tq_mv), bits_of(whole.lead_tq_mv));
    ASSERT_EQ(found.non_conducted.size(), 1U);
    EXPECT_EQ(found.non_conducted[0].beat, whole.non_conducted[0].beat);
    EXPECT_EQ(found.non_conducted[0].onset, whole.non_conducted[0].onset);
  }
}

TYPED_TEST(Waves, OfOtherUnitsAndRatesAreTheSame) {
  for (const double rate_hz : {128.0, 250.0, 1000.0}) {
    SCOPED_TRACE(rate_hz);
    const MadeWaves made{.rate_hz = rate_hz, .beats_s = every(0.8, 12)};
    auto microvolts = made.lead();
    for (auto& value : microvolts) value *= 1000;
    const auto in_mv = this->found_in({made.lead()}, made.r_peaks(), rate_hz);
    const auto in_uv = this->found_in({microvolts}, made.r_peaks(), rate_hz, 0, "uV");
    const auto untold = this->found_in({microvolts}, made.r_peaks(), rate_hz, 0, "");
    for (int beat = 1; beat < 11; ++beat) {
      EXPECT_NEAR(in_mv.fiducials_of(beat)[kPPeak], -40, 5);
      for (const auto& other : {in_uv, untold})
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

TYPED_TEST(Waves, OfNoBeatOrAnotherRateAreNone) {
  const MadeWaves made{.beats_s = every(0.8, 4)};
  EXPECT_EQ(this->found_in({made.lead()}, {}, made.rate_hz).beats(), 0);
  EXPECT_EQ(this->found_in({made.lead()}, made.r_peaks(), 59).beats(), 0);
  EXPECT_EQ(this->found_in({made.lead()}, made.r_peaks(), 5001).beats(), 0);
}

}  // namespace
}  // namespace beatscan
