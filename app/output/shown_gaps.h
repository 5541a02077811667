// app/output/shown_gaps.h — restores the gaps of a lead in its drawings. The analysis bridges them by straight lines,
// which must not be mistaken for a signal.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "stages/quality/lead_silence.h"

namespace beatscan {

template <class Context>
struct Recording;

// Returns the gaps of each lead to draw, [L]: those that are too long to be bridged silently.
template <class Context>
std::vector<GapList> drawn_gaps(Context&, const Recording<Context>& recording, double bridge_s,
                                std::optional<double> rate_hz);

// Sets the bins of an envelope, [E][values_of_bin()], to NaN that lie completely in a gap. The signal has `samples`.
void show_gaps_in_bins(const GapList& gaps, std::int64_t bin_samples, std::int64_t samples, std::span<float> bins);

// Sets the samples of a strip that lie in a gap to NaN. The strip begins at the sample `first`.
void show_gaps_in_strip(const GapList& gaps, std::int64_t first, std::span<float> strip);

}  // namespace beatscan
