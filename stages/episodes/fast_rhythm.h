// stages/episodes/fast_rhythm.h — tells a very fast, regular rhythm from noise.
//
// Wide beats at 110 to 255 a minute leave the envelope of a lead hardly any rest, and narrow ones at the upper end of
// that range, so that its blocks count as noisy (stages/quality/quality.h). Such a block is good where all of these
// hold:
//   - beats come evenly for sustained_s or longer
//   - within the block the lead repeats itself from beat to beat: below an artefact that comes evenly, such as that of
//     brushing the teeth, the beats do not keep step with it
//   - the block spans at most most_size times as much as the lead's good blocks do in the median, or all its blocks if
//     none is good: a larger artefact hides the beats below it
//   - the block is in no flutter or fibrillation (flutter.h). Where beats come regularly throughout that, it is none
//     (wide_tachycardia.h)
// Only rhythms of lasting_bpm or more that go on for lasting_s count where such rhythms take more than most_share of
// the recording. One of them may be its usual rhythm there: its beats would show what is normal, and those of the other
// rhythm would be the odd ones.
//
// Fibrillation has no even beats for so long, and a short run of them often turns into fibrillation: both stay noisy.
#pragma once

#include <span>
#include <vector>

#include "kernels/signal/signal_part.h"

namespace beatscan {

struct FlutterOptions;
struct SignalQuality;
struct WideTachycardiaOptions;
template <class Context>
struct EnvelopeProfile;
template <class Context>
struct Recording;

// The limits were tried on 267 records: beats, VF and VFL are those of 190 a minute and 30 s.
struct FastRhythmOptions {
  double slowest_bpm = 110, fastest_bpm = 255;
  double even = 0.10;        // most difference of an interval from the median around it, as a share of that
  int reach = 8;             // intervals on either side that are looked at
  double even_share = 0.85;  // least share of even intervals among these
  double sustained_s = 8;
  double most_share = 0.2, lasting_bpm = 190, lasting_s = 30;
  double least_likeness = 0.90;   // median correlation of a beat with the next one, from R peak to R peak
  double most_size = 2;           // true rhythms of the records have at most 1.3, made artefacts from 2.2 on
  std::int64_t fewest_pairs = 3;  // beats with a next one that a block needs
};

// Returns the samples in which beats come fast and evenly.
//   r_peaks  [K] samples, ascending
std::vector<Stretch> fast_rhythms(std::span<const double> r_peaks, double sample_rate_hz,
                                  const FastRhythmOptions& options = {});

// Marks noisy blocks of each lead as good where a fast rhythm makes them look noisy.
//   profile   of the detection
//   r_peaks   [K] samples, ascending
//   of_leads  [L] quality of each lead
template <class Context>
void mark_fast_rhythms(Context&, const Recording<Context>& recording, const EnvelopeProfile<Context>& profile,
                       std::span<const double> r_peaks, std::vector<SignalQuality>& of_leads, double sample_rate_hz,
                       const FlutterOptions& flutter, const WideTachycardiaOptions& wide,
                       const FastRhythmOptions& options = {});

}  // namespace beatscan
