// app/result/words/pacing_warning.h — tells of beats that a pacemaker stimulates.
#pragma once

#include <string>

#include "stages/findings/chamber.h"

namespace beatscan {

struct RunResult;

// Returns the warning of beats behind impulses of one chamber; empty where there are none. The result must have
// findings.
std::string pacing_warning(const RunResult& result, Chamber chamber);

}  // namespace beatscan
