// stages/waves/waves.h — which beats are averaged with each other where P, QRS and T waves are delineated.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/waves/wave_confidence.h"
#include "kernels/waves/wave_net.h"

namespace beatscan {

template <class Context>
struct Recording;

// Beats of the same template are averaged, premature ones apart from the others: the P wave of a premature beat lies
// elsewhere, often within the T wave before it. Returns the group of each beat, [K]; -1 for one without a row.
//   template_of  [B] templates of shape
//   kept         [B] the beat of each row
//   premature    [K] 1 for premature beats
std::vector<std::int32_t> averaging_groups(std::span<const std::uint8_t> template_of,
                                           std::span<const std::int64_t> kept, std::span<const std::uint8_t> premature);

// The correction of the QT interval for the heart rate; see wave_summary.h.
enum class QtCorrection { bazett, fridericia, framingham, hodges };

struct WaveOptions {
  std::string model;  // path of a model of scripts/train_waves; empty: the one that is built in
  QtCorrection qtc = QtCorrection::fridericia;
  double st_after_j_s = 0.06;  // where the ST level is measured, after the J point
};

// P, QRS and T waves of the beats of a recording: onsets and offsets, evidence of P waves, P waves without a QRS
// complex, amplitudes. docs/waves.md has the method and its figures.
//
// K beats, L leads. Fiducials are in values of 4 ms from a beat's R (kernels/waves/beat_waves.h has their order), NaN
// where a wave is absent.

// A P wave that no QRS complex follows, in samples from the recording's start.
struct NonConductedP {
  std::int64_t beat;  // the beat before it
  double onset, offset;
};

// On the host.
struct BeatWaves {
  std::vector<std::int64_t> leads;           // [L] their numbers in the recording
  std::vector<float> fiducials;              // [K][9] over leads, of local averages
  std::vector<float> lead_fiducials;         // [L][K][9]
  std::vector<float> lead_amplitudes;        // [L][K][4] P, ST, T in mV; place of T (kernels/waves/amplitudes.h)
  std::vector<float> qtc_ms;                 // [K] corrected by WaveOptions::qtc for local_rr_s
  std::vector<float> st_mv;                  // [K] ST level over leads, see fuse_amplitudes()
  std::vector<float> confidence;             // [K][3] of P, QRS and T, see wave_confidence.h; NaN if not found
  std::vector<float> p_evidence;             // [K] 0 .. 1, how much speaks for a P wave before the beat
  std::vector<float> p_similarity;           // [K] with the recording's dominant P wave, -1 .. 1; NaN without a P wave
  std::vector<float> lead_tq_mv;             // [L][K] root mean square between T wave and next beat, see amplitudes.h
  std::vector<NonConductedP> non_conducted;  // in ascending order

  std::int64_t beats() const { return static_cast<std::int64_t>(p_evidence.size()); }  // K
  std::span<const float> fiducials_of(std::int64_t beat) const;
  // Returns the T peak of a beat in lead l of `leads`: where the lead is farthest from the isoelectric line. That place
  // is searched for in the T wave over leads; if it lies outside of the lead's, the peak is the mask's.
  float lead_t_peak(std::int64_t l, std::int64_t beat) const;
};

// The trained model, as in models/waves.json.
struct DelineationModel {
  waves::NetModel net;
  waves::ConfidenceModel confidence;
};

// The beats of a recording.
struct DelineatedBeats {
  std::span<const double> r_peaks;          // [K] samples, ascending
  std::span<const std::int32_t> templates;  // [K] negative: none
  std::span<const std::uint8_t> broken;     // [K - 1] see wave_summary.h
};

// Delineates all beats in some leads. Beats are processed in ranges, so that memory does not grow with their number
// except for the results and 300 bytes a beat and lead. Returns nothing (no lead) if the rate is outside of
// waves::kLeastRateHz .. kMostRateHz or there is no beat. Both back ends find the same waves, with fiducials that
// differ by roundings of the masks (waves::kMaskError). P waves of low confidence are left out. An invalid RR interval
// has no non-conducted P waves. The results do not depend on the number of threads or ranges.
//   range_beats  beats of a range, 2 at least; 0: as many as suit the context
template <class Context>
BeatWaves delineate(Context&, const Recording<Context>& recording, std::span<const std::int64_t> leads,
                    const DelineatedBeats& beats, const DelineationModel& model, const WaveOptions& options,
                    double sample_rate_hz, std::int64_t range_beats = 0);

// Removes the waves of beats that can have none: fiducials, amplitudes and what follows from them become NaN. P waves
// next to such a beat are no longer non-conducted ones. Without any waves it does nothing.
//   without  [K] 1 for these beats
void take_waves_off(BeatWaves& waves, std::span<const std::uint8_t> without);

}  // namespace beatscan
