// app/result/shown_gaps.h — puts the gaps of a lead, which straight lines bridge, back into its drawings, so that
// nobody takes a bridge for a signal.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "stages/quality/lead_silence.h"

namespace beatscan {

template <class Context>
struct Recording;

// Returns the gaps of each lead that are drawn as gaps, [L]: those that are too long to be bridged in silence.
template <class Context>
std::vector<GapList> drawn_gaps(Context&, const Recording<Context>& recording, double bridge_s,
                                std::optional<double> rate_hz);

// Makes NaN of the bins of an envelope, [E][values_of_bin()], that lie in a gap with all their samples. The signal has
// `samples`.
void show_gaps_in_bins(const GapList& gaps, std::int64_t bin_samples, std::int64_t samples, std::span<float> bins);

// Makes NaN of the samples of a strip that lie in a gap. The strip begins at the sample `first`.
void show_gaps_in_strip(const GapList& gaps, std::int64_t first, std::span<float> strip);

}  // namespace beatscan
