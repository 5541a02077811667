// app/cli/form_options.h — the options that say which files a result has: --beats, --report, --no-report.
#pragma once

namespace CLI {
class App;
}

namespace beatscan {

struct RunOptions;

void add_form_options(CLI::App& command, RunOptions& options);

}  // namespace beatscan
