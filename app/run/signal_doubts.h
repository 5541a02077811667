// app/run/signal_doubts.h — looks in the samples for what makes beats that are none: see SignalDoubts.
#pragma once

#include "app/result/run_result.h"
#include "stages/methods/artefact_rows.h"

namespace beatscan {

// Collects the doubts of a result with findings.
template <class Context>
SignalDoubts signal_doubts(Context&, const Recording<Context>& recording, const RunResult& result,
                           const ArtefactRows& artefacts);

}  // namespace beatscan
