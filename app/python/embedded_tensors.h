// app/python/embedded_tensors.h — embedded beats as tensors by row of x (leads.h).
#pragma once

#include <ATen/core/Tensor.h>

#include "app/python/leads.h"
#include "stages/windows/embedded_beats.h"

namespace beatscan::operators {

// Makes a tensor [L][B][D], or [B][D], of the beat windows, which it moves out of `embedded`. Its values are NaN for a
// lead without beat windows, and for a beat without signal in a lead.
//   lead_rows  rows_of_leads
template <class Context>
at::Tensor take_rows(Context&, const at::Tensor& x, const std::vector<std::int64_t>& lead_rows,
                     EmbeddedBeats<Context>& embedded);

// Returns the reference [L][2][D], or [2][D]: a row times reference[1] plus reference[0] is the beat, less its mean, in
// the unit of x. NaN for a lead without beat windows.
template <class Context>
at::Tensor reference_of(Context&, const at::Tensor& x, const std::vector<std::int64_t>& lead_rows,
                        const EmbeddedBeats<Context>& embedded);

}  // namespace beatscan::operators
