// app/report/sections/quality.h — shows where the signal is poor.
#pragma once

#include "app/report/sections/page.h"

namespace beatscan {

// Adds the figure of poor signal: a row for each kind, or, with several leads, for each lead, below a row for what is
// good in any of them. Adds nothing as published.
void add_quality(Page& page);

}  // namespace beatscan
