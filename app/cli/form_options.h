// app/cli/form_options.h — the options that select the files of a result: --beats, --report, --no-report.
#pragma once

namespace CLI {
class App;
}

namespace beatscan {

struct RunOptions;

void add_form_options(CLI::App& command, RunOptions& options);

}  // namespace beatscan
