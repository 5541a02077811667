// app/python/wave_tensors.h — P, QRS and T waves as tensors.
#pragma once

#include <ATen/core/Dict.h>

#include "app/python/analysis.h"

namespace beatscan::operators {

// Makes tensors of the waves of K beats, on the context's device, by names. Numbers are NaN where a wave is absent.
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
using WaveTensors = c10::Dict<std::string, at::Tensor>;
template <class Context>
WaveTensors wave_tensors(Context&, const at::Tensor& x, const BeatList& beats, const BeatWaves& found,
                         const std::vector<std::int64_t>& lead_rows, const Config& config);

}  // namespace beatscan::operators
