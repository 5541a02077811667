// app/python/results.h — results as arrays: columns of the beat table, embedded beats, waves.
#pragma once

#include "app/python/analysis.h"
#include "app/python/arrays.h"
#include "app/python/operators.h"
#include "stages/windows/embedded_beats.h"

namespace beatscan::operators {

// Arrays [K] over all beats in time order, by the names of beats.csv, on the context's device. A beat without a row
// has NaN for numbers, false for flags, and -1 for its lead.
//   both methods         r_peak (samples), kept, reconstruction_error, kl, latents [K][Z], score, anomalous
//   method r_peaks only  rr_prev_ratio, rr_next_ratio, waveform_score, rhythm_score, noise, baseline_score, quality,
//   lead
// Errors, KL divergences and latents are those of the first lead with beat windows; NaN where it has no signal. `lead`
// is the row of x that contributes most to the waveform's distance.
//   lead_rows  rows_of_leads
template <class Context>
Results columns_of(Context&, const KnownBeats<Context>& found, const EmbeddedBeats<Context>& embedded,
                   const ScoredBeats& scored, const std::vector<std::int64_t>& lead_rows);

// Makes arrays of the waves of K beats, on the context's device, by names. Numbers are NaN where a wave is absent.
// Samples are those of x, from 0, with fractions.
//   over all leads
//     fiducials        [K][9] float64, samples: onset, peak and end of the P wave, the QRS complex and the T wave; the
//                      peak of the QRS complex is the R peak
//     intervals        [K][4] float32, ms: PR, QRS, QT, QTc
//     confidence       [K][3] float32, 0 .. 1: of the P wave, the QRS complex and the T wave
//     st_mv            [K] float32, ST level over leads, see fuse_amplitudes()
//     p_evidence       [K] float32, 0 .. 1
//     p_similarity     [K] float32, -1 .. 1
//     non_conducted_p  [P][3] float64: the beat before the P wave, its onset and its end in samples
//   by row of x, NaN in rows without beats; without the dimension L where x has none
//     lead_fiducials   [L][K][9] float64, samples
//     lead_intervals   [L][K][4] float32, ms
//     lead_amplitudes  [L][K][3] float32, mV: P wave, ST level, T wave
//     lead_tq_mv       [L][K] float32, root mean square between T wave and next beat
// `lead_rows` is that of rows_of_leads.
template <class Context>
Results wave_arrays(Context&, const Array& x, const BeatList& beats, const BeatWaves& found,
                    const std::vector<std::int64_t>& lead_rows, const Config& config);

// Makes an array [L][B][D], or [B][D], of the beat windows, which it moves out of `embedded`. Its values are NaN for a
// lead without beat windows, and for a beat without signal in a lead.
//   lead_rows  rows_of_leads
template <class Context>
OwnedArray take_rows(Context&, const Array& x, const std::vector<std::int64_t>& lead_rows,
                     EmbeddedBeats<Context>& embedded);

// Returns the reference [L][2][D], or [2][D]: a row times reference[1] plus reference[0] is the beat, less its mean, in
// the unit of x. NaN for a lead without beat windows.
template <class Context>
OwnedArray reference_of(Context&, const Array& x, const std::vector<std::int64_t>& lead_rows,
                        const EmbeddedBeats<Context>& embedded);

}  // namespace beatscan::operators
