// app/batch/plan.h — what a run will do, resolved and checked before anything is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/batch/recording_list.h"
#include "app/batch/resume.h"
#include "app/batch/shard.h"
#include "app/config/config.h"
#include "app/pipeline/pipeline.h"
#include "app/pipeline/sample_rate.h"

namespace beatscan {

struct CommonOptions;
struct Models;
struct RunOptions;

// The request on the command line, common to all recordings of the run.
struct Plan {
  Config config;
  RateGiven rate;
  std::shared_ptr<const ModelToUse> model;  // null: each recording trains its own
  std::shared_ptr<const Models> models;     // named by the configuration
  std::vector<ListedRecording> recordings;  // of this process, each with a name
  bool batch = false;                       // each result has its own folder in --out
  std::int64_t recordings_of_all = 0;       // of all shards together
  ShardChoice shard;
  std::optional<LocalTask> local;  // position among the tasks of this host, if there are several
  std::vector<std::string> warnings;
};

// The number of recordings whose rates and earlier results are checked before the run starts. The others are checked
// one by one later, because a list may have a hundred thousand.
inline constexpr std::size_t kLookedAtFirst = 64;

// Returns the folder of the result of a recording of the plan.
std::filesystem::path folder_of(const Plan& plan, const RunOptions& options, std::size_t recording);

// Makes the plan. Throws Error where options, list, shard, configuration, model or truth cannot be used.
Plan plan_of(const CommonOptions& common, const RunOptions& options);

// Throws if results cannot be written to the requested place. Called before anything is written, so that the error does
// not appear after hours of training.
void check_targets(const Plan& plan, const CommonOptions& common, const RunOptions& options);

// Throws ErrorKind::output if an input lies in the output folder.
void check_outside(const std::filesystem::path& file, const std::filesystem::path& folder);

// Returns the configuration of one recording: a list may specify its rate.
Config config_of(const Plan& plan, const ListedRecording& recording);

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
