// stages/rows/faint_rows.h — finds rows of beats that may be none: waves of the atria, or noise, while the ventricles
// stand still. Beats after a change of gain or of an electrode look like that, too, so that these beats stay.
//
//   faint beat  its R peak is within 0.1 s of a FaintWave that is blunt; or of any, if at most half of the beats are
//               faint, because otherwise the faint ones are the usual ones
//   row         3 faint beats or more, if the beats beside them are 4 s apart or more
// An end of the recording stands for a beat that is missing there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace beatscan {

struct FaintWave;

// Beats from `first` to before `last`.
struct FaintRow {
  std::int64_t first, last;
};

// Finds the rows.
//   waves    in the order of their samples
//   r_peaks  [K] samples, ascending
std::vector<FaintRow> faint_rows(std::span<const FaintWave> waves, std::span<const double> r_peaks,
                                 std::int64_t samples, double sample_rate_hz);

}  // namespace beatscan
