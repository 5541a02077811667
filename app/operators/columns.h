// app/operators/columns.h — the columns of beats.csv as tensors.
#pragma once

#include <ATen/core/Dict.h>

#include "app/operators/analysis.h"

namespace beatscan::operators {

// Tensors [K] over all beats in time order, by the names of beats.csv, on the context's device. Where a beat has no row
// numbers are NaN and flags false.
//   by both methods  r_peak (samples), kept, reconstruction_error, kl, latents [K][Z], score, anomalous
//   around R peaks   rr_prev_ratio, rr_next_ratio, waveform_score, rhythm_score, baseline_score, quality
using Columns = c10::Dict<std::string, at::Tensor>;
template <class Context>
Columns columns_of(Context&, const KnownBeats<Context>& found, const EmbeddedBeats<Context>& embedded,
                   const ScoredBeats& scored);

// Returns qualities as the numbers that tensors hold, in the order of the enum.
std::vector<std::uint8_t> codes_of(const std::vector<Quality>& quality);

}  // namespace beatscan::operators
