// app/run/run_recording.h — from a recording that has been read to its folder of results.
#pragma once

#include <filesystem>

#include "app/report/cohort_page.h"
#include "app/result/output_folder.h"
#include "app/run/pipeline.h"
#include "app/run/run_options.h"

namespace beatscan {

// Analyses, writes, and says on stdout what was found. `folder` is where `output` will be. Until the end nothing is
// written, so that what fails on one device can be done again on another.
template <class Context>
CohortRow run_recording(Context&, OpenedRecording<Context> opened, const RunRequest& request,
                        const CommonOptions& common, const RunOptions& options, OutputFolder& output,
                        const std::filesystem::path& folder, Log& log);

}  // namespace beatscan
