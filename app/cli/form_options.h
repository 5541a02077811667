// app/cli/form_options.h — the options that say which files a result has: --beats, --report, --no-report.
#pragma once

#include "app/run/run_options.h"

namespace CLI {
class App;
}

namespace beatscan {

void add_form_options(CLI::App& command, RunOptions& options);

}  // namespace beatscan
