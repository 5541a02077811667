// app/python/columns.h — the columns of beats.csv as tensors.
#pragma once

#include <ATen/core/Dict.h>

#include "app/python/analysis.h"

namespace beatscan::operators {

// Tensors [K] over all beats in time order, by the names of beats.csv, on the context's device. A beat without a row
// has NaN for numbers, false for flags, and -1 for its lead.
//   both methods         r_peak (samples), kept, reconstruction_error, kl, latents [K][Z], score, anomalous
//   method r_peaks only  rr_prev_ratio, rr_next_ratio, waveform_score, rhythm_score, noise, baseline_score, quality,
//   lead
// Errors, KL divergences and latents are those of the first lead with beat windows; NaN where it has no signal. `lead`
// is the row of x that contributes most to the waveform's distance.
//   lead_rows  rows_of_leads
using Columns = c10::Dict<std::string, at::Tensor>;
template <class Context>
Columns columns_of(Context&, const KnownBeats<Context>& found, const EmbeddedBeats<Context>& embedded,
                   const ScoredBeats& scored, const std::vector<std::int64_t>& lead_rows);

}  // namespace beatscan::operators
