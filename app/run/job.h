// app/run/job.h — one recording of a run: what is asked for, where its result goes, and its input.
#pragma once

#include <cstddef>
#include <filesystem>
#include <future>
#include <vector>

#include "app/run/plan.h"

namespace beatscan {

struct Job {
  std::size_t index;  // among the recordings of the run
  RunRequest request;
  std::filesystem::path folder;           // where the result goes
  std::shared_future<OpenedInput> input;  // none before open_job; get() throws where the input cannot be opened
};

// Returns the folder of each result: --out itself for one input; for several, folders in it, named after the inputs.
std::vector<std::filesystem::path> folders_for(const RunOptions& options);

// Returns one job an input, none of them opened.
std::vector<Job> jobs_for(const CommonOptions& common, const RunOptions& options, const Plan& plan);

// Opens the job's input and begins to hash it. An input that cannot be opened is told by job.input.
void open_job(Job& job);

}  // namespace beatscan
