// stages/detect/detect_options.h — options of the detection of R peaks.
#pragma once

namespace beatscan {

// The values were tuned on the 22 records of MIT-BIH's first half together, in 162 configurations; the optimum is flat.
//
// A candidate is a T wave of an earlier one by either of two rules:
//   soon  within t_soon_s: its height is less than t_soon_height times the other's
//   late  within t_late_s: its sharpness is less than t_late_sharp times the other's, and its height less than
//         t_late_height times the other's
struct DetectOptions {
  // Envelope and candidates
  double band_hz = 15;        // centre of the QRS band
  double sharp_band_hz = 26;  // centre of a second band, which sharp QRS complexes reach and blunt T waves do not
  double smooth_s = 0.040;    // sigma of the Gaussian that smooths |band|
  double distance_s = 0.210;  // a candidate is the largest envelope value within this time on either side
  double edge_s = 0.050;      // least time from a candidate to either end of the recording

  // Local level
  double block_s = 2.0;       // length of the blocks whose maxima make the level
  int level_blocks = 3;       // number of blocks on either side that the level is the median of
  double floor_local = 0.10;  // the level is at least this times the median of all maxima
  double floor_peak = 1e-4;   // the level is at least this times the largest of the maxima around it

  // Beats and T waves
  double keep = 0.34;           // lowest height of a beat, in levels
  double t_soon_s = 0.380;      // time within which the rule "soon" applies
  double t_soon_height = 0.45;  // share of the earlier candidate's height
  double t_late_s = 0.440;      // time within which the rule "late" applies
  double t_late_sharp = 0.40;   // share of the earlier candidate's sharpness: its height in the second band
  double t_late_height = 1.0;   // share of the earlier candidate's height

  // Search for weak beats
  int search_rounds = 2;            // rounds of the search; each finds at most one beat in a gap
  double search_gap = 1.40;         // gaps longer than this times the local median RR interval are searched
  int search_beats = 8;             // number of intervals, and beats, on either side that local medians are taken over
  double search_height = 0.24;      // lowest height of a weak beat, in levels
  double search_soonest_s = 0.350;  // least time from the previous beat to a weak beat
  double search_after = 0.40;       // least time from the previous beat to a weak beat, in local median RR intervals
  double search_before = 0.50;      // least time from a weak beat to the next beat, in local median RR intervals
  int search_candidates = 32;       // number of candidates of a gap that are examined

  // The search for weak beats that are too sharp for T waves and P waves, and not as sharp as spikes
  double sharp_gap = 1.20;        // gaps longer than this times the local median RR interval are searched
  double sharp_height = 0.20;     // lowest height of such a beat, in levels
  double sharp_soonest_s = 0.30;  // least time from the previous beat to such a beat
  double sharp_before = 0.90;     // least time from such a beat to the next beat, in local median RR intervals
  double sharp_least = 1.1, sharp_most = 1.5;  // its sharpness over its height, over the local median of beats

  // Noise reduces how far beats stand out of the envelope. The share of noise in a block grows from 0 to 1 between two
  // ratios of the local level to the local noise floor, which is the lower quartile of the envelope.
  double noise_begins = 13;      // ratio below which there is noise
  double noise_full = 9;         // ratio at which the share is 1
  double blend_begins = 12;      // ratio below which a second band is blended into the envelope
  double blend_full = 8;         // ratio below which only the second band's signal-to-noise ratio limits blending
  double blend_band_hz = 36;     // centre of the second band, which is left out at sampling rates below 2.2 times that
  int noise_rounds = 2;          // rounds of rejecting beats in noise; 0 rejects none
  double noise_regained = 0.60;  // least height of a rejected beat that is restored if it leaves a long gap, in levels

  // R peaks
  double peak_band_hz = 6;      // centre of the band whose largest value is the R peak
  double peak_sigma_s = 0.030;  // sigma of the Gaussian around the envelope's maximum that weights the band
  double peak_reach_s = 0.100;  // the R peak is within this time of the envelope's maximum
};

// Lowest and highest sampling rate in Hz that the lengths of the filters allow.
inline constexpr double kLowestRate = 60, kHighestRate = 8000;

}  // namespace beatscan
