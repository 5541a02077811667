// stages/rhythm/episode_options.h — options of episodes, heart rate variability, and what the signal shows of the
// rhythm.
#pragma once

namespace beatscan {

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

// See pauses.h for their meaning.
struct PauseOptions {
  double pause_s = 2, asystole_s = 4;  // longer intervals count
};

// See rates.h for their meaning.
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

}  // namespace beatscan
