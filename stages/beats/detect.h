// stages/beats/detect.h — R peaks, where cardiologists mark them: band-pass envelope, local maxima, heights against a
// local level, rules for T waves and for weak beats. Sizes in seconds, so that it means the same at any rate; heights
// relative, so that gain, polarity and offset do not matter. Definition in numpy: tests/reference/detection.py.
#pragma once

#include "kernels/beats/detect.h"
#include "kernels/runtime/buffer.h"
#include "stages/beats/quality.h"

namespace beatscan {

// Tuned on the 22 records of MIT-BIH's first half together, 162 configurations; the optimum is flat.
struct DetectOptions {
  double band_hz = 15;              // centre of the QRS band
  double sharp_band_hz = 26;        // of a second one, which sharp QRS complexes reach and blunt T waves do not
  double smooth_s = 0.040;          // sigma of the Gaussian that makes an envelope of |band|
  double distance_s = 0.210;        // a candidate is the largest envelope value within this on either side
  double edge_s = 0.050;            // not nearer than this to an end of the recording
  double block_s = 2.0;             // the local level is the median of block maxima
  int level_blocks = 3;             // over so many blocks on either side,
  double floor_local = 0.10;        // at least this times the median of all maxima
  double floor_peak = 1e-4;         // and this times the largest that near
  double keep = 0.34;               // lowest height of a beat, in levels
  double t_soon_s = 0.380;          // a T wave follows a higher candidate within this
  double t_soon_height = 0.45;      // with less than this share of its height,
  double t_late_s = 0.440;          // or within this
  double t_late_sharp = 0.40;       // with less than this share of its second-band height
  double t_late_height = 1.0;       // and of its height
  int search_rounds = 2;            // of search-back, each finds at most one beat a gap
  double search_gap = 1.40;         // in gaps longer than this times the local median RR
  int search_beats = 8;             // which is taken over so many intervals on either side
  double search_height = 0.24;      // lowest height of such a beat
  double search_soonest_s = 0.350;  // more than this
  double search_after = 0.40;       // and this share of the median RR behind the beat before
  double search_before = 0.50;      // and this share before the beat behind
  int search_candidates = 32;       // so many candidates of a gap are looked at
  double peak_band_hz = 6;          // band whose largest value is the R peak
  double peak_sigma_s = 0.030;      // weighted by a Gaussian around the envelope's
  double peak_reach_s = 0.100;      // within this on either side
};

template <class Context>
struct Detection {
  Buffer<double, Context> r_peaks;  // [K] samples, with fraction, ascending; perhaps none
  SignalQuality quality;
  Buffer<float, Context> envelope;  // [N] of the QRS band, where it is wanted
};

struct DetectRequest {
  Gaps gaps = {};  // of the recording, in the context's memory: nothing is looked for there
  bool keep_envelope = false;
  std::int64_t most_window_samples = 0;  // that are worked on at a time; 0: as many as the context has room for
};
//   signal  [N] finite, N >= 1, not constant, gaps bridged
template <class Context>
Detection<Context> detect_r_peaks(Context&, std::span<const float> signal, const DetectOptions& options,
                                  const QualityOptions& quality, double sample_rate_hz,
                                  const DetectRequest& request = {});

// Samples of a block whose quality is told, but for the last.
int quality_block_samples(const DetectOptions& options, double sample_rate_hz);

// Rates that the filters' lengths allow, Hz.
inline constexpr double kLowestRate = 60, kHighestRate = 8000;

}  // namespace beatscan
