// Compares heart rate variability with cases worked by hand and with what NeuroKit2 and SciPy give for the same beats.
#include "stages/rhythm/hrv.h"

#include <gtest/gtest.h>

#include <numbers>

#include "stages/rhythm/episode.h"
#include "tests/stages/rhythm/listed_beats.h"

namespace beatscan {
namespace {

Hrv hrv_of_beats(const ListedForTest& beats, const HrvOptions& options = {}) {
  const IntervalFlags none(beats.broken.size());
  return hrv_of(nn_intervals(beats.view(), all_linked(beats), none), std::ssize(beats.broken), options);
}

// Intervals are 800, 860, 800, 900 ms: changes are 60, -60, 100 ms.
TEST(HeartRateVariability, ByHand) {
  ListedForTest beats = beats_of("N", 0);
  for (const double rr_s : {0.8, 0.86, 0.8, 0.9}) beats.add('N', rr_s);
  const Hrv hrv = hrv_of_beats(beats);
  EXPECT_EQ(hrv.intervals, 4);
  EXPECT_EQ(hrv.used_share, 1);
  EXPECT_NEAR(*hrv.mean_nn_ms, 840, 1e-9);
  EXPECT_NEAR(*hrv.sdnn_ms, std::sqrt((1600 + 400 + 1600 + 3600) / 3.0), 1e-9);
  EXPECT_NEAR(*hrv.rmssd_ms, std::sqrt((3600 + 3600 + 10000) / 3.0), 1e-9);
  EXPECT_NEAR(*hrv.pnn50_percent, 75, 1e-9);
  // The sums of two intervals are 1660, 1660 and 1700 ms.
  EXPECT_NEAR(*hrv.sd1_ms, std::sqrt((4 * 80 * 80 + 4 * 280 * 280 + 4 * 200 * 200) / 36.0 / 4), 1e-9);
  EXPECT_NEAR(*hrv.sd2_ms, std::sqrt((2 * 40 * 40 + 80 * 80) / 9.0 / 4), 1e-9);
  EXPECT_EQ(hrv.pairs, 3);
  EXPECT_EQ(hrv.jumps, 0);
  EXPECT_EQ(hrv.windows, 0);
  EXPECT_FALSE(hrv.lf_ms2.has_value());
}

// A jump is more than 20 % of the interval before, up or down.
TEST(HeartRateVariability, CountsJumps) {
  ListedForTest beats = beats_of("N", 0);
  for (const double rr_s : {1.0, 1.19, 1.0, 1.21, 0.96, 1.0}) beats.add('N', rr_s);
  const Hrv hrv = hrv_of_beats(beats);
  EXPECT_EQ(hrv.pairs, 5);
  EXPECT_EQ(hrv.jumps, 2);
}

// NeuroKit2 0.2.13: hrv_time(numpy.cumsum([0] + [700 + i * i * 37 % 211 for i in range(400)]), sampling_rate=1000).
TEST(HeartRateVariability, IsThatOfNeuroKit2) {
  ListedForTest beats = beats_of("N", 0);
  for (int i = 0; i < 400; ++i) beats.add('N', (700 + i * i * 37 % 211) / 1000.0);
  const Hrv hrv = hrv_of_beats(beats);
  EXPECT_EQ(hrv.intervals, 400);
  EXPECT_NEAR(*hrv.mean_nn_ms, 802.085, 1e-6);
  EXPECT_NEAR(*hrv.sdnn_ms, 61.41132756163317, 1e-6);
  EXPECT_NEAR(*hrv.rmssd_ms, 83.49407554808349, 1e-6);
  EXPECT_NEAR(*hrv.pnn50_percent, 56.25, 1e-6);
}

// The same with fractal_dfa(intervals, scale=range(4, 17), overlap=False), and range(16, 65).
TEST(HeartRateVariability, IsNonlinearAsNeuroKit2) {
  ListedForTest beats = beats_of("N", 0);
  for (int i = 0; i < 400; ++i) beats.add('N', (700 + i * i * 37 % 211) / 1000.0);
  const Hrv hrv = hrv_of_beats(beats);
  EXPECT_NEAR(*hrv.sd1_ms, 59.112660037790256, 1e-6);
  EXPECT_NEAR(*hrv.sd2_ms, 63.50082221899477, 1e-6);
  EXPECT_NEAR(*hrv.dfa_alpha1, 0.7084839891672845, 1e-6);
  EXPECT_NEAR(*hrv.dfa_alpha2, 0.5069015196697935, 1e-6);
}

// The longest box is a quarter of the intervals, and a box has a fluctuation.
TEST(HeartRateVariability, FluctuationsNeedIntervals) {
  ListedForTest beats = beats_of("N", 0);
  for (int i = 0; i < 63; ++i) beats.add('N', 0.8 + 0.01 * (i * i % 7));
  EXPECT_FALSE(hrv_of_beats(beats).dfa_alpha1);
  beats.add('N', 0.8);
  EXPECT_TRUE(hrv_of_beats(beats).dfa_alpha1);
  EXPECT_FALSE(hrv_of_beats(beats).dfa_alpha2);
  EXPECT_FALSE(hrv_of_beats(beats_of(std::string(100, 'N'), 1)).dfa_alpha1) << "all intervals are equal";
}

// Segments of 5 minutes have means of 1000, 800 and 900 ms; the fourth is less than four fifths NN.
TEST(HeartRateVariability, MeansOfSegments) {
  ListedForTest beats = beats_of("N", 0);
  beats.add(std::string(299, 'N'), 1);
  beats.add('V', 1.5);  // at 300.5 s
  beats.add(std::string(373, 'N'), 0.8);
  beats.add('V', 1.5);  // at 600.4 s
  EXPECT_NEAR(*hrv_of_beats(beats).sdann_ms, std::sqrt(2 * 100 * 100), 1e-9);
  beats.add(std::string(332, 'N'), 0.9);
  beats.add('V', 1.5);  // at 900.7 s
  beats.add(std::string(400, 'N'), 0.5);
  EXPECT_NEAR(*hrv_of_beats(beats).sdann_ms, 100, 1e-9);
}

// Anchors are the third and the fourth interval.
TEST(HeartRateVariability, DecelerationCapacity) {
  ListedForTest beats = beats_of("N", 0);
  for (const double rr_s : {0.8, 0.8, 0.82, 0.83, 0.81}) beats.add('N', rr_s);
  EXPECT_NEAR(*hrv_of_beats(beats).dc_ms, ((820 + 830 - 800 - 800) + (830 + 810 - 820 - 800)) / 8.0, 1e-9);
  beats.beat_classes.front() = BeatClass::ventricular;
  EXPECT_NEAR(*hrv_of_beats(beats).dc_ms, (830 + 810 - 820 - 800) / 4.0, 1e-9) << "an anchor has two before it";
  beats.r_peaks[3] += 5, beats.r_peaks[4] += 6, beats.r_peaks[5] += 6;  // 870 ms is more than 5 % longer than 800 ms
  EXPECT_FALSE(hrv_of_beats(beats).dc_ms);
}

// Adds N at 800 ms, V with its pause, and the intervals of sinus rhythm after it.
void add_turbulence(ListedForTest& beats, double coupling_s = 0.5) {
  beats.add("NNNNNN", 0.8);
  beats.add('V', coupling_s);
  beats.add('N', 1.1);
  for (const double rr_s : {0.78, 0.78, 0.78, 0.79, 0.80, 0.81, 0.82, 0.83, 0.83, 0.83, 0.82, 0.81, 0.80, 0.80, 0.80})
    beats.add('N', rr_s);
}

TEST(HeartRateVariability, Turbulence) {
  ListedForTest beats = beats_of("N", 0);
  for (int i = 0; i < 4; ++i) add_turbulence(beats);
  EXPECT_EQ(hrv_of_beats(beats).hrt_vpcs, 4);
  EXPECT_FALSE(hrv_of_beats(beats).hrt_onset_percent || hrv_of_beats(beats).hrt_slope_ms_per_rr) << "of fewer than 5";
  add_turbulence(beats, 0.65);  // more than 80 % of 800 ms
  EXPECT_EQ(hrv_of_beats(beats).hrt_vpcs, 4);
  add_turbulence(beats);
  const Hrv hrv = hrv_of_beats(beats);
  EXPECT_EQ(hrv.hrt_vpcs, 5);
  EXPECT_NEAR(*hrv.hrt_onset_percent, -2.5, 1e-9) << "from 1600 to 1560 ms";
  EXPECT_NEAR(*hrv.hrt_slope_ms_per_rr, 10, 1e-9);
}

// A tachogram has sinus rhythm throughout, that does not jump.
TEST(HeartRateVariability, TurbulenceNeedsSinusRhythm) {
  const auto tachograms = [](auto&& change) {
    ListedForTest beats = beats_of("N", 0);
    add_turbulence(beats);
    change(beats);
    return hrv_of_beats(beats).hrt_vpcs;
  };
  EXPECT_EQ(tachograms([](auto&) {}), 1);
  EXPECT_EQ(tachograms([](auto& beats) { beats.beat_classes[3] = BeatClass::supraventricular; }), 0);
  EXPECT_EQ(tachograms([](auto& beats) { beats.beat_classes.back() = BeatClass::supraventricular; }), 0);
  EXPECT_EQ(tachograms([](auto& beats) { beats.quality[7] = Quality::noisy; }), 0) << "the V";
  EXPECT_EQ(tachograms([](auto& beats) { beats.r_peaks.back() += 17; }), 0) << "970 ms is 21 % more than 800 ms";
  EXPECT_EQ(tachograms([](auto& beats) { beats.broken[6] = 1; }), 0) << "the coupling interval";
}

// Parts have the intervals within them alone.
TEST(HeartRateVariability, OfParts) {
  ListedForTest beats = beats_of("N", 0);
  beats.add(std::string(10, 'N'), 1);
  beats.add(std::string(10, 'N'), 0.5);
  const IntervalFlags none(beats.broken.size());
  const auto nn = nn_intervals(beats.view(), all_linked(beats), none);
  const std::vector<TimePart> parts{{0.5, 4.2}, {9.5, 11}};
  const auto within = nn_in(nn, parts);
  EXPECT_EQ(within.ms, (std::vector<double>{1000, 1000, 1000, 500, 500}));
  EXPECT_EQ(within.follows, (std::vector<std::uint8_t>{0, 1, 1, 0, 1}));
  EXPECT_EQ(within.from_s, 0.5);
  EXPECT_EQ(intervals_in_parts(beats.view(), parts), 5);
  EXPECT_EQ(intervals_in_parts(beats.view(), std::vector<TimePart>{{0.1, 0.9}}), 0);
}

// Without intervals the measures have no values, and none is 0.
TEST(HeartRateVariability, OfFewBeats) {
  for (const char* letters : {"", "N", "NVN"}) {
    const Hrv hrv = hrv_of_beats(beats_of(letters, 0.8));
    EXPECT_EQ(hrv.intervals, 0);
    EXPECT_FALSE(hrv.mean_nn_ms || hrv.sdnn_ms || hrv.rmssd_ms || hrv.pnn50_percent || hrv.lf_ms2 || hrv.hf_ms2);
  }
  const Hrv one = hrv_of_beats(beats_of("NN", 0.8));
  EXPECT_NEAR(*one.mean_nn_ms, 800, 1e-9);
  EXPECT_FALSE(one.sdnn_ms || one.rmssd_ms || one.pnn50_percent);
}

// Pairs reach over no beat that is not N.
TEST(HeartRateVariability, OtherBeatsAreSetAside) {
  ListedForTest beats = beats_of("NNN", 0.8);
  beats.add('V', 0.5);
  beats.add('N', 1.1);
  beats.add("NN", 0.9);
  const Hrv hrv = hrv_of_beats(beats);
  EXPECT_EQ(hrv.intervals, 4);
  EXPECT_NEAR(hrv.used_share, 4 / 6.0, 1e-12);
  EXPECT_NEAR(*hrv.rmssd_ms, 0, 1e-9) << "800 to 800 and 900 to 900 ms";
  EXPECT_NEAR(*hrv.sdnn_ms, std::sqrt(4 * 2500 / 3.0), 1e-9);
}

// A sine of 20 ms has a power of 200 ms^2 in its band.
TEST(HeartRateVariability, PowerOfASine) {
  for (const double hz : {0.02, 0.1, 0.25}) {
    ListedForTest beats;
    beats.sample_rate_hz = 1000;
    beats.add('N', 0);
    while (beats.r_peaks.back() < 600e3)
      beats.add('N', 0.7 + 0.020 * std::sin(2 * std::numbers::pi * hz * beats.r_peaks.back() / 1000));
    const Hrv hrv = hrv_of_beats(beats);
    EXPECT_EQ(hrv.windows, 3);
    const double powers[] = {*hrv.vlf_ms2, *hrv.lf_ms2, *hrv.hf_ms2};
    for (int band = 0; band < 3; ++band)
      if (band == (hz >= 0.04) + (hz >= 0.15))
        EXPECT_NEAR(powers[band], 200, 0.1 * 200) << hz;
      else
        EXPECT_LT(powers[band], 5) << hz << ", band " << band;
    EXPECT_NEAR(*hrv.lf_hf, *hrv.lf_ms2 / *hrv.hf_ms2, 1e-12);
  }
}

// A window counts if four fifths of it are NN.
TEST(HeartRateVariability, WindowsThatCount) {
  ListedForTest beats = beats_of(std::string(401, 'N'), 0.64);
  EXPECT_EQ(hrv_of_beats(beats).windows, 0) << "256 s begin with the end of the first interval";
  beats.add("NN", 0.64);
  EXPECT_EQ(hrv_of_beats(beats).windows, 1);
  for (int i = 100; i < 190; ++i) beats.beat_classes[i] = BeatClass::ventricular;
  EXPECT_EQ(hrv_of_beats(beats).windows, 0);
  EXPECT_EQ(hrv_of_beats(beats, {.covered = 0.7}).windows, 1);
}

}  // namespace
}  // namespace beatscan
