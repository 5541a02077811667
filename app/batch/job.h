// app/batch/job.h — one recording of a run, from its request to its result folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "app/batch/resume.h"
#include "app/pipeline/pipeline.h"

namespace beatscan {

struct CommonOptions;
struct Plan;
struct RunOptions;

struct Job {
  std::size_t index;  // among the recordings of the run
  RunRequest request;
  std::filesystem::path folder;      // folder of the result
  std::optional<OpenedInput> input;  // null before open_job
  // Held until the result or the failure record is written, so that a process that finds it free also finds the
  // outcome. Empty before a thread takes the recording, and outside of a batch.
  std::optional<Claim> claim;
  // Processes in which a GPU failed on this recording. With several GPUs, only those after it had moved to another GPU.
  int worker_processes_tried = 0;
  std::optional<std::size_t> failed_on = {};  // device of the last failure
};

// Returns the job of a recording of the plan, not yet opened.
Job job_for(const CommonOptions& common, const RunOptions& options, const Plan& plan, std::size_t recording);

// Opens the job's input and starts hashing it, unless already done. Reads its reference annotations, so that their
// errors are reported before the analysis. Throws ErrorKind::input.
void open_job(Job& job);

// Returns an upper bound, from the file size alone, of the bytes of device or host memory that the analysis of a
// recording needs. A compressed file counts with its uncompressed size. An input of unknown size, such as a pipe,
// counts as small.
std::int64_t memory_needed(const std::filesystem::path& input);

}  // namespace beatscan
