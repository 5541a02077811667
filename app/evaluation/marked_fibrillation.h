// app/evaluation/marked_fibrillation.h — ventricular fibrillation and flutter that an annotation file marks.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "stages/rhythm/episode.h"

namespace beatscan {

struct MarkedFibrillation {
  SignalEvidence evidence;            // marked episodes, and asystole between them and a beat; no beats within
  double end = 0;                     // samples: of the last marked segment; 0 without one
  std::vector<std::string> warnings;  // of possibly incomplete marks
};

// Reads what is marked from [ to ], or by the rhythm changes VF, VFIB and VFL. No beats are annotated within these
// marks, which would otherwise look like asystole. Several marks of one segment count once. A table of beats (is_csv)
// has no such marks. Throws ErrorKind::input if the file is damaged.
//   r_peaks     [K] samples, ascending; K > 0
//   asystole_s  a longer time without a beat next to the segment is ASYS
MarkedFibrillation marked_fibrillation(const std::filesystem::path& path, std::span<const double> r_peaks,
                                       double sample_rate_hz, double asystole_s);

}  // namespace beatscan
