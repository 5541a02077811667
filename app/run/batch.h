// app/run/batch.h — analyses the recordings of a run, one after the other; one alone is a batch of one.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "app/run/job.h"
#include "kernels/runtime/error.h"

namespace beatscan {

struct BatchOutcome {
  std::size_t recordings = 0, failed = 0;
  std::optional<ErrorKind> first_failure;
};

// Analyses every recording. One that fails does not keep the others from being analysed; a failure of the only
// one is thrown. `model` may be nothing: each recording trains its own.
BatchOutcome run_batch(const CommonOptions& common, const RunOptions& options, const Config& config,
                       const RateGiven& rate, const std::shared_ptr<const ModelToUse>& model, Log& log);

}  // namespace beatscan
