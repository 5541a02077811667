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
  for (const double hz : {0.1, 0.25}) {
    ListedForTest beats;
    beats.sample_rate_hz = 1000;
    beats.add('N', 0);
    while (beats.r_peaks.back() < 600e3)
      beats.add('N', 0.7 + 0.020 * std::sin(2 * std::numbers::pi * hz * beats.r_peaks.back() / 1000));
    const Hrv hrv = hrv_of_beats(beats);
    EXPECT_EQ(hrv.windows, 3);
    const double inside = hz < 0.15 ? *hrv.lf_ms2 : *hrv.hf_ms2, outside = hz < 0.15 ? *hrv.hf_ms2 : *hrv.lf_ms2;
    EXPECT_NEAR(inside, 200, 0.1 * 200) << hz;
    EXPECT_LT(outside, 5) << hz;
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
