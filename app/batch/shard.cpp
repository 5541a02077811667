#include "app/batch/shard.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "app/batch/launcher.h"
#include "app/batch/listed_recording.h"
#include "app/common/small_csv.h"
#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

constexpr std::int64_t kMostShards = 1'000'000;

Shard shard_in(const std::string& value) {
  const auto slash = value.find('/');
  const auto index = parse_int64(value.substr(0, slash)),
             count = slash == value.npos ? std::nullopt : parse_int64(value.substr(slash + 1));
  if (!index || !count)
    throw Error(ErrorKind::usage, "--shard " + beatscan::quoted(value) + ": give I/N, as in 0/4, or auto");
  if (*count < 1 || *count > kMostShards)
    throw Error(ErrorKind::usage,
                "--shard " + beatscan::quoted(value) + ": the number of shards must be from 1 to 1000000");
  if (*index < 0 || *index >= *count)
    throw Error(ErrorKind::usage, "--shard " + beatscan::quoted(value) +
                                      " is out of range: shards count from 0, so the last is " +
                                      text_of(Shard{*count - 1, *count}));
  return {*index, *count};
}

std::string place_of(const Task& task) {
  return "task " + std::to_string(task.rank) + " of " + std::to_string(task.size) + " of " + task.launcher;
}

std::string warning_of_idle(std::int64_t tasks) {
  return "this job of Slurm has " + std::to_string(tasks) +
         " tasks, and the program was started once: srun starts it in each task; it does all that one task can do";
}

ShardChoice shard_of_launcher(const Launch& launch) {
  ShardChoice choice;
  if (!launch.why_no_array.empty())
    throw Error(ErrorKind::usage, "--shard auto: " + launch.why_no_array + ", or give --shard I/N");
  for (const auto* task : {&launch.array, &launch.tasks}) {
    if (!*task) continue;
    choice.shard = {choice.shard.index * (*task)->size + (*task)->rank, choice.shard.count * (*task)->size};
    choice.from += (choice.from.empty() ? "" : ", ") + place_of(**task);
  }
  if (choice.shard.count > kMostShards)
    throw Error(ErrorKind::usage, "--shard auto: " + choice.from + ": more than 1000000 shards");
  if (launch.idle_tasks > 0) choice.warnings.push_back(warning_of_idle(launch.idle_tasks));
  if (choice.from.empty() && launch.idle_tasks == 0)
    choice.warnings.push_back(
        "--shard auto: no srun, mpirun, torchrun or job array started this, so it does all recordings");
  return choice;
}

// Returns a warning if a launcher started several tasks that would all do the same work.
std::vector<std::string> unused_launchers(const Launch& launch, bool several) {
  std::vector<std::string> warnings;
  const auto warn = [&](const Task& task) {
    if (task.size > 1)
      warnings.push_back("this is " + place_of(task) +
                         ", and each task is given the same work; --shard auto shares it among them");
  };
  if (launch.tasks) warn(*launch.tasks);
  if (several && launch.array) warn(*launch.array);
  if (several && launch.idle_tasks > 0) warnings.push_back(warning_of_idle(launch.idle_tasks));
  return warnings;
}

}  // namespace

std::string text_of(const Shard& shard) { return std::to_string(shard.index) + "/" + std::to_string(shard.count); }

ShardChoice shard_of(const std::string& value, const Launch& launch, bool several) {
  if (value.empty()) return {.shard = {}, .warnings = unused_launchers(launch, several)};
  if (value == "auto") return shard_of_launcher(launch);
  return {.shard = shard_in(value), .warnings = {}};
}

std::vector<std::size_t> members_of(const Shard& shard, const std::vector<ListedRecording>& all) {
  std::vector<std::size_t> by_name(all.size()), members;
  std::iota(by_name.begin(), by_name.end(), std::size_t{0});
  if (shard.whole()) return by_name;
  std::ranges::sort(by_name, {}, [&](std::size_t i) -> const std::string& { return all[i].name; });
  for (auto i = static_cast<std::size_t>(shard.index); i < by_name.size(); i += static_cast<std::size_t>(shard.count))
    members.push_back(by_name[i]);
  std::ranges::sort(members);
  return members;
}

std::vector<int> gpus_of_task(const LocalTask& local, int visible) {
  std::vector<int> gpus;
  if (visible < 1) return gpus;
  if (local.size < 1 || local.size >= visible) return {local.rank % visible};
  for (int gpu = local.rank; gpu < visible; gpu += local.size) gpus.push_back(gpu);
  return gpus;
}

}  // namespace beatscan
