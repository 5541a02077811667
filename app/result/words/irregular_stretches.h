// app/result/words/irregular_stretches.h — warns of irregular beats that no episode tells of, and of heart rate
// variability that they make.
#pragma once

#include <string>

namespace beatscan {

struct RunResult;

// Tells of stretches of 24 intervals between N and S beats in good signal, within a minute, that come irregularly; ""
// without any. Half of the intervals differ from the one before by more than 15 %, and half from each of the three
// before by 5.5 % or more: so a bigeminy and a trigeminy are none. Nor are intervals that go up and down as with
// breathing (breathing.h, 1.25 or more). Atrial fibrillation that is too brief for AFIB is one. What lies in AFIB, VF,
// VFL or NOISE is left out.
std::string irregular_stretches_warning(const RunResult& result);

// Tells that heart rate variability is that of an irregular rhythm, if more than a tenth of its pairs of intervals
// differ by more than 20 % (Hrv::jumps); "" otherwise.
std::string variability_warning(const RunResult& result);

}  // namespace beatscan
