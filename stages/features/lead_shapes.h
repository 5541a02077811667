// stages/features/lead_shapes.h — cuts windows around the R peaks of each lead and measures the beats' shapes.
#pragma once

#include <span>

#include "stages/features/column_groups.h"

namespace beatscan {

template <class Context>
struct Recording;

// Measures all beats in the leads. The dominant shape is that of the template with most beats that are not premature.
//   rr_s, ratio  [K] RR interval before the beat, and over its local median
template <class Context>
LeadShapes lead_shapes(Context&, const Recording<Context>& recording, const TableBeats& beats,
                       std::span<const double> rr_s, std::span<const double> ratio);

}  // namespace beatscan
