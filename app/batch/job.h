// app/batch/job.h — one recording of a run: what is asked for, where its result goes, and its input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "app/cohort/claim.h"
#include "app/run/pipeline.h"

namespace beatscan {

struct CommonOptions;
struct Plan;
struct RunOptions;

struct Job {
  std::size_t index;  // among the recordings of the run
  RunRequest request;
  std::filesystem::path folder;      // where the result goes
  std::optional<OpenedInput> input;  // nothing before open_job
  // Held until the recording is over and a failure is kept: whoever finds it free finds what became of the recording.
  // Nothing before the recording's turn, and for one that is no part of a batch.
  std::optional<Claim> claim;
  // Processes in which a GPU has failed at it; on several GPUs only those where it had moved to another GPU.
  int stand_ins_tried = 0;
  std::optional<std::size_t> failed_on = {};  // the device of the last one
};

// Returns the job of a recording of the plan, not opened.
Job job_for(const CommonOptions& common, const RunOptions& options, const Plan& plan, std::size_t recording);

// Opens the job's input and begins to hash it, unless that was done. Reads its reference annotations, so that their
// errors are reported before the recording is analysed. Throws ErrorKind::input.
void open_job(Job& job);

// Returns the bytes of a device's or the host's memory that a recording takes at most while it is analysed, as its
// file's size tells without reading it. A packed file counts as what it holds. A file whose size is unknown, such as a
// pipe, counts as small.
std::int64_t memory_needed(const std::filesystem::path& input);

}  // namespace beatscan
