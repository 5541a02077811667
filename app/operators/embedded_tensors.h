// app/operators/embedded_tensors.h — embedded beats as tensors by row of x (leads.h).
#pragma once

#include <ATen/core/Tensor.h>

#include "app/operators/leads.h"
#include "stages/rows/embedded_beats.h"

namespace beatscan::operators {

// Makes a tensor [L][B][D], or [B][D], of the rows of beats, which it takes from `embedded`. Its values are NaN for a
// lead that was not cut, and where a lead has no signal at a beat.
//   lead_rows  rows_of_leads
template <class Context>
at::Tensor take_rows(Context&, const at::Tensor& x, const std::vector<std::int64_t>& lead_rows,
                     EmbeddedBeats<Context>& embedded);

// Returns the reference [L][2][D], or [2][D]: a row times reference[1] plus reference[0] is the beat, less its mean, in
// the unit of x. It is NaN for a lead that was not cut.
template <class Context>
at::Tensor reference_of(Context&, const at::Tensor& x, const std::vector<std::int64_t>& lead_rows,
                        const EmbeddedBeats<Context>& embedded);

}  // namespace beatscan::operators
