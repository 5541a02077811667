// kernels/waves/fuse_waves.h — combines the waves of the leads into those of a beat.
#pragma once

#include "kernels/waves/amplitudes.h"
#include "kernels/waves/beat_waves.h"

namespace beatscan::waves {

// Fuses leads. A wave of a beat needs max(1, ceil(L / 3)) of the leads. Onset, peak and offset are medians over the
// leads that have it; from six such leads on, the onset is their 15 % and the offset their 85 % quantile, interpolated
// linearly. Evidence is the greatest over leads.
//   fiducials       [L][K][9] L >= 1; NaN if there is no wave
//   evidence        [L][K]
//   fused           [K][9]
//   fused_evidence  [K]
void fuse_fiducials(Cpu&, std::span<const float> fiducials, std::span<float> fused);
void fuse_fiducials(Cuda&, std::span<const float> fiducials, std::span<float> fused);
void fuse_evidence(Cpu&, std::span<const float> evidence, std::span<float> fused_evidence);
void fuse_evidence(Cuda&, std::span<const float> evidence, std::span<float> fused_evidence);

// Fuses amplitudes. A beat's T peak becomes the median over leads of the place where the T wave is farthest from the
// isoelectric line, because the T mask is flat around its greatest value; where no lead has one, that of the mask
// stays. Its ST level is that of the lead in which it is farthest from 0. Of three leads and more it is the level that
// two leads of one sign reach, the farther of the two signs. NaN if there is none.
//   amplitudes  [L][K][4] L >= 1
//   fused       [K][9] the T peaks are written
//   st_mv       [K]
void fuse_amplitudes(Cpu&, std::span<const float> amplitudes, std::span<float> fused, std::span<float> st_mv);
void fuse_amplitudes(Cuda&, std::span<const float> amplitudes, std::span<float> fused, std::span<float> st_mv);

}  // namespace beatscan::waves
