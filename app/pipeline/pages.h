// app/pipeline/pages.h — selects the recordings that get a report.html.
#pragma once

namespace beatscan {

struct RunResult;

enum class Pages { all, abnormal, none };

// Returns whether a recording gets a page. `abnormal` gives it one if the recording has
//   - an abnormal beat in good signal, or
//   - an episode other than NOISE and GAP.
bool wants_page(Pages pages, const RunResult& result);

}  // namespace beatscan
