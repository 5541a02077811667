// stages/quality/lead_features.h — the features of a lead's quality.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/quality/features.h"

namespace beatscan {

// Computes the features of a lead, [K][quality::kFeatures]. Memory for beats is needed for one window at a time.
//   window_blocks  blocks of a window; 0: as many as suit the context. The results do not depend on it.
template <class Context>
void lead_features(Context&, const quality::LeadView& lead, std::span<float> features, std::int64_t window_blocks = 0);

}  // namespace beatscan
