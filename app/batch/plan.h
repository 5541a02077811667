// app/batch/plan.h — what a run will do, resolved and checked before anything is touched.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cohort/launcher.h"
#include "app/cohort/listed_recording.h"
#include "app/cohort/shard.h"
#include "app/config/config.h"
#include "app/run/sample_rate.h"

namespace beatscan {

struct CommonOptions;
struct ModelToUse;
struct RunOptions;
struct Models;

// The request of the command line. Every recording of the run has it in common.
struct Plan {
  Config config;
  RateGiven rate;
  std::shared_ptr<const ModelToUse> model;  // nothing: each recording trains its own
  std::shared_ptr<const Models> models;     // that the configuration names
  std::vector<ListedRecording> recordings;  // of this process, each with a name
  bool batch = false;                       // each result has a folder of its name in --out
  std::int64_t recordings_of_all = 0;       // of all shards together
  ShardChoice shard;
  std::optional<LocalTask> local;  // the place among the tasks of this host, where there are several
  std::vector<std::string> warnings;
};

// The number of recordings whose rates and earlier results are checked before the first of them is begun. The others
// are checked when their turn comes, because a list may have a hundred thousand.
inline constexpr std::size_t kLookedAtFirst = 64;

// Returns the folder of the result of a recording of the plan.
std::filesystem::path folder_of(const Plan& plan, const RunOptions& options, std::size_t recording);

// Makes the plan. Throws Error where options, list, shard, configuration, model or truth cannot be used.
Plan plan_of(const CommonOptions& common, const RunOptions& options);

// Throws where results cannot be put where they are asked for. It is called before anything is touched, so that this is
// not found after hours of training.
void check_targets(const Plan& plan, const CommonOptions& common, const RunOptions& options);

// Throws ErrorKind::output where a file that is read lies in the folder that results are put in.
void check_outside(const std::filesystem::path& file, const std::filesystem::path& folder);

// Returns the configuration of one recording: a list may tell its rate.
Config config_of(const Plan& plan, const ListedRecording& recording);

}  // namespace beatscan
