// stages/rhythm/episode.h — episodes and rhythm of a recording, what they are made of, and their options.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/detect/quality_class.h"
#include "stages/classify/beat_findings.h"

namespace beatscan {

enum class EpisodeLabel : std::uint8_t {
  atrial_fibrillation,           // AFIB
  ventricular_tachycardia,       // VT: three or more V in a row, above the rate of VT
  idioventricular_rhythm,        // IVR: the same, not above it
  ventricular_couplet,           // V2: exactly two V in a row
  supraventricular_tachycardia,  // SVT: three or more S in a row
  bigeminy,                      // B
  trigeminy,                     // T
  pause,                         // PAUSE
  bradycardia,                   // SBR
  tachycardia,                   // STACH
  atrial_flutter,                // AFL
  wenckebach,                    // BI: second-degree AV block, Mobitz I
  junctional_rhythm,             // NOD
  sudden_bradycardia,            // BRADY
  ventricular_fibrillation,      // VF
  ventricular_flutter,           // VFL
  asystole,                      // ASYS
  noise,                         // NOISE
  gap,                           // GAP
};

// Returns the label as `episodes.csv` has it, such as "AFIB".
constexpr std::string_view name_of(EpisodeLabel label) {
  constexpr std::array<std::string_view, 19> kNames = {"AFIB",  "VT",  "IVR",   "V2",    "SVT", "B",   "T",
                                                       "PAUSE", "SBR", "STACH", "AFL",   "BI",  "NOD", "BRADY",
                                                       "VF",    "VFL", "ASYS",  "NOISE", "GAP"};
  return kNames[static_cast<std::size_t>(label)];
}

struct Episode {
  double start = 0, end = 0;  // samples, from start to end
  EpisodeLabel label = EpisodeLabel::noise;
  std::int64_t beats = 0;           // R peaks from start to end, both included
  double confidence = 1;            // 0 to 1
  Quality quality = Quality::good;  // the worst signal that the rule relied on
};

// The least certainty of a silent interval that counts as a pause. An interval below it is treated as if an electrode
// were off: its length alone does not make a beat abnormal.
inline constexpr float kCertainPause = 0.5F;

// The beats that rules of rhythm look at. They need no signal.
struct RhythmBeats {
  std::span<const double> r_peaks;          // [K] samples, ascending
  std::span<const BeatClass> beat_classes;  // [K]
  std::span<const Quality> quality;         // [K]
  std::span<const std::uint8_t> broken;     // [K - 1] 1 where the interval is not known
  double sample_rate_hz = 0;
  std::span<const std::uint8_t> paced = {};  // [K] 1 where the ventricles are paced; empty: nowhere
  std::span<const float> posteriors = {};    // [K][4] of the beat classes (classify/beat_findings.h); empty: not known
};

// Episodes and silent intervals, as the signal shows them.
struct SignalEvidence {
  std::vector<Episode> episodes;     // VF, VFL, NOISE and GAP, in order of time
  std::vector<std::uint8_t> silent;  // [K - 1] 1 where the interval holds no sign of a beat and no noise that hides one
  // [K - 1] how certain it is that the heart pauses in a silent interval, from 0 to 1; empty: 1 everywhere
  std::vector<float> certain = {};
  // the same certainty before the first beat and after the last one; 0 where it is not silent there, or not for long
  float certain_start = 0, certain_end = 0;

  float certainty_of(std::int64_t interval) const { return certain.empty() ? 1 : certain[interval]; }
};

// An interval outside of these limits is no interval between two heartbeats that follow each other.
struct IntervalLimits {
  double shortest_s = 0.2, longest_s = 3.0;
};

// See runs.h for their meaning.
struct BeatRunOptions {
  int least_beats = 3;  // V or S beats of a run
  double vt_rate_bpm = 100, svt_rate_bpm = 100;
  double part_ratio = 1.25;  // of intervals, see VT; 1: none within a slow run
  int least_cycles = 3;      // V beats of bigeminy or trigeminy
};

// See runs.h for their meaning.
struct PauseOptions {
  double pause_s = 2, asystole_s = 4;  // longer intervals count
};

// See runs.h for their meaning.
struct RateOptions {
  double slow_bpm = 50, fast_bpm = 100;
  int reach = 8;
  int fewest_intervals = 5;
  double least_s = 30, join_s = 10;
};

// See hrv.h for their meaning.
struct HrvOptions {
  double covered = 0.8;
};

struct EpisodeOptions {
  IntervalLimits intervals;
  BeatRunOptions runs;
  PauseOptions pauses;
  RateOptions rates;
  HrvOptions hrv;
};

// See signal_evidence.h for their meaning.
struct EvidenceOptions {
  double silent_least_s = 1.5;                               // shorter intervals are not looked at
  double silent_share = 0.25;                                // of the median envelope at the beats around
  double silent_beside_s = 0.25;                             // time beside either beat that is not looked at
  int silent_beats = 8;                                      // beats on either side that the median is taken over
  double noise_mains = 2, noise_mains_share = 0.01;          // share of the usual range of a block
  double noise_drift = 3, noise_drift_share = 0.15;          // the same
  double uncertain_mains = 1.35, uncertain_still = 0.35;     // pauses of ds1 have 0.82 to 1.08
  double uncertain_drift = 2, uncertain_drift_share = 0.08;  // pauses of ds1 have at most 1.7
  double noise_least_s = 2;                                  // shorter stretches of noise are no episode
  double noise_join_s = 2;                                   // stretches of noise with no more between them are one
};

// A part of the recording, in samples.
struct TimeSpan {
  double start = 0, end = 0;
};

// Flags of K - 1 intervals.
using IntervalFlags = std::vector<std::uint8_t>;

// The episodes of a recording, and for how much of it AFIB can be assessed.
struct Episodes {
  std::vector<Episode> list;          // by start; of equal starts the longer comes first
  std::vector<TimeSpan> af_assessed;  // where AFIB can be assessed
  IntervalFlags hidden, linked;       // [K - 1] in VF or VFL; known and of a likely length
};

// See hrv.h for the measures. One has no value where it cannot be computed: SDNN of fewer than two NN, RMSSD without a
// pair, LF without a window.
struct Hrv {
  std::int64_t intervals = 0;  // NN
  double used_share = 0;       // of all intervals
  double nn_s = 0;             // the sum of NN
  std::int64_t windows = 0;    // of the spectrum
  std::int64_t pairs = 0;
  std::int64_t jumps = 0;     // pairs that differ by more than 20 % of the first interval
  std::int64_t hrt_vpcs = 0;  // V that heart rate turbulence is worked out from
  std::optional<double> mean_nn_ms, sdnn_ms, sdann_ms, rmssd_ms, pnn50_percent, vlf_ms2, lf_ms2, hf_ms2, lf_hf;
  std::optional<double> sd1_ms, sd2_ms, dfa_alpha1, dfa_alpha2, dc_ms, hrt_onset_percent, hrt_slope_ms_per_rr;
};

struct HourFacts {
  double from_s = 0;
  std::int64_t beats = 0;
  std::array<std::int64_t, kBeatClassCount> beat_classes{};  // beats of each class, in the order of BeatClass
  std::optional<double> rate_bpm;     // by the median of the linked intervals that end in the hour
  double afib_s = 0, assessed_s = 0;  // of atrial fibrillation, and of the signal in which it can be assessed
};

// Seconds of atrial fibrillation in a recording, and of the signal in which it can be assessed.
struct AfBurden {
  double afib_s = 0, assessed_s = 0;
};

// A run of beats of one class.
struct BeatRunFacts {
  std::int64_t beats = 0;
  double rate_bpm = 0, start_s = 0;
};

// See burden.h for the meaning.
struct ClassBurden {
  std::int64_t beats = 0, couplets = 0, runs = 0;
  std::optional<double> percent, per_hour;
  std::optional<BeatRunFacts> longest, fastest;
};

struct RhythmFindings {
  Episodes episodes;
  AfBurden af;
  ClassBurden ventricular, supraventricular;
  Hrv hrv;
  std::vector<HourFacts> hours;
};

}  // namespace beatscan
