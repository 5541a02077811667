// app/batch.h — the recordings of a run, one after the other; one alone is a batch of one.
#pragma once

#include <filesystem>
#include <vector>

#include "app/commands.h"
#include "app/pipeline.h"

namespace beatscan {

// One input goes to --out itself, several to folders in it, named after the files.
std::vector<std::filesystem::path> folders_for(const RunOptions& options);

// Returns the exit status. A recording that fails does not keep the others from being analysed; a failure of the only
// one is thrown. parameters: of a saved model, or nullptr.
int run_batch(const CommonOptions& common, const RunOptions& options, const Config& config, const RateGiven& rate,
              const std::vector<NamedArray>* parameters, Log& log);

}  // namespace beatscan
