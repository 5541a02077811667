// app/evaluation/marked_fibrillation.h — ventricular fibrillation and flutter that an annotation file marks.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "stages/episodes/episode.h"

namespace beatscan {

struct MarkedFibrillation {
  SignalEvidence evidence;  // what is marked, and asystole between that and a beat; all is silent between beats
  double end = 0;           // samples: of the last stretch that is marked; 0 without one
  std::vector<std::string> warnings;  // of marks that may be incomplete
};

// Reads what is marked from [ to ], or by the rhythm changes VF, VFIB and VFL: no beats are marked in it, so it would
// look like a standstill. Marks of one stretch count once. A table of beats (is_csv) has no such marks. Throws
// ErrorKind::input where the file is damaged.
//   r_peaks     [K] samples, ascending; K > 0
//   asystole_s  a longer time without a beat beside the stretch is ASYS
MarkedFibrillation marked_fibrillation(const std::filesystem::path& path, std::span<const double> r_peaks,
                                       double sample_rate_hz, double asystole_s);

}  // namespace beatscan
