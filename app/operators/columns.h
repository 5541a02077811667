// app/operators/columns.h — what is known of each beat, as tensors.
#pragma once

#include <ATen/core/Dict.h>

#include "app/operators/analysis.h"

namespace beatscan::operators {

// By name, as in beats.csv where it is there too; [K] over all beats in time order, of PyTorch's dtype of the values,
// on the context's device. NaN (flags: false) where a beat has no row.
//   r_peak (samples), kept, reconstruction_error, kl, latents [K][Z], score, anomalous; and not by the published method
//   rr_prev_ratio, rr_next_ratio, waveform_score, rhythm_score, baseline_score, quality
using Columns = c10::Dict<std::string, at::Tensor>;
template <class Context>
Columns columns_of(Context&, const KnownBeats<Context>& found, const EmbeddedBeats<Context>& embedded,
                   const ScoredBeats& scored);

// Quality as the numbers that tensors hold: in the order of the enum.
std::vector<std::uint8_t> codes_of(const std::vector<Quality>& quality);

}  // namespace beatscan::operators
