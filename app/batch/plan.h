// app/batch/plan.h — what a run will do, resolved and checked before anything is written.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/batch/recording_list.h"
#include "app/batch/shard.h"
#include "app/config/config.h"
#include "app/pipeline/sample_rate.h"

namespace beatscan {

struct CommonOptions;
struct ModelToUse;
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

}  // namespace beatscan
