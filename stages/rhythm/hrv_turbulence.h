// stages/rhythm/hrv_turbulence.h — heart rate turbulence: how sinus rhythm answers a ventricular premature complex.
//
// A tachogram is that of a V in good signal between N, of five NN (hrv.h) before its coupling interval, and of fifteen
// NN after its compensatory pause. The reference interval is the mean of the five. It counts if
//   - the coupling interval is at most 80 % of the reference interval, and the compensatory pause at least 120 %
//   - each of the 20 NN has 300 to 2000 ms, and differs from the reference interval by at most 20 %
//   - of the five and of the fifteen each differs from the one before by at most 200 ms
//
//   onset   mean over the tachograms of ((a_1 + a_2) - (b_1 + b_2)) / (b_1 + b_2), percent: a are the NN after the
//           pause, b the last two NN before the coupling interval
//   slope   the tachograms are averaged; the steepest slope of a regression line through five of the fifteen NN in a
//           row, ms an interval
// Both take five tachograms at least. Sources: Schmidt et al. 1999; Bauer et al. 2008, consensus of the ISHNE.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "stages/rhythm/episode.h"

namespace beatscan {

struct VpcTachogram;

// Returns the tachograms that count.
//   nn  [K - 1] 1 where the interval is NN
std::vector<VpcTachogram> vpc_tachograms(const RhythmBeats& beats, const IntervalFlags& linked,
                                         const IntervalFlags& nn);

struct Turbulence {
  std::optional<double> onset_percent, slope_ms_per_rr;
};

Turbulence turbulence_of(std::span<const VpcTachogram> tachograms);

}  // namespace beatscan
