// app/run/batch.h — the recordings of a run, one after the other; one alone is a batch of one.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

#include "app/run/pipeline.h"
#include "app/run/run_options.h"
#include "kernels/runtime/error.h"

namespace beatscan {

// One input goes to --out itself, several to folders in it, named after the files.
std::vector<std::filesystem::path> folders_for(const RunOptions& options);

struct BatchOutcome {
  std::size_t recordings = 0, failed = 0;
  std::optional<ErrorKind> first_failure;
};

// Analyses every recording. One that fails does not keep the others from being analysed; a failure of the only
// one is thrown. parameters: of a saved model, or nullptr.
BatchOutcome run_batch(const CommonOptions& common, const RunOptions& options, const Config& config,
                       const RateGiven& rate, const std::vector<NamedArray>* parameters, Log& log);

}  // namespace beatscan
