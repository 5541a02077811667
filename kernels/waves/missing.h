// kernels/waves/missing.h — masks and waves next to missing samples.
#pragma once

#include "kernels/waves/beat_waves.h"

namespace beatscan::waves {

// Sets masks to 0 where nothing was recorded, because the net may find waves by the marks alone:
//   values before the first and after the last sample of the recording
//   values in gaps of more than kMinGapS
//   all values of a window of whose values within the recording more than half lie in gaps
//   r      [B] the sample at which value kRValue lies
//   masks  [B][3][320]
inline constexpr double kMinGapS = 0.04;  // a shorter gap leaves enough of a wave to see
void clear_missing(Cpu&, const LeadSignal& lead, std::span<const double> r, std::span<float> masks);
void clear_missing(Cuda&, const LeadSignal& lead, std::span<const double> r, std::span<float> masks);

// Removes each wave of which a part was not recorded: if the value before its onset or the one after its offset is one
// that clear_missing() clears, all three of its fiducials become NaN.
//   r          [B] as above
//   fiducials  [B][9] of beat_waves()
void leave_out_truncated(Cpu&, const LeadSignal& lead, std::span<const double> r, std::span<float> fiducials);
void leave_out_truncated(Cuda&, const LeadSignal& lead, std::span<const double> r, std::span<float> fiducials);

}  // namespace beatscan::waves
