// app/run/run_recording.h — from a recording that has been read to its folder of results.
#pragma once

#include "app/report/cohort_page.h"
#include "app/result/output_folder.h"
#include "app/run/job.h"

namespace beatscan {

// Analyses a recording, writes the result and says on stdout what was found. Nothing is left behind by a failure, so
// that what fails on one device can be done again on another.
template <class Context>
CohortRow run_recording(Context&, OpenedRecording<Context> opened, const Job& job, OutputFolder& output, Log& log);

}  // namespace beatscan
