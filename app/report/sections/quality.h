// app/report/sections/quality.h — shows where the signal is poor.
#pragma once

namespace beatscan {

class Page;

// Adds the figure of poor signal. It has a row for each kind of poor signal. With several leads it has a row for each
// lead, below a row for what is good in any of them. Adds nothing as published.
void add_quality(Page& page);

}  // namespace beatscan
