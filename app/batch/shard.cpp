#include "app/batch/shard.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <utility>

#include "app/batch/recording_list.h"
#include "app/common/small_csv.h"
#include "kernels/runtime/error.h"
#include "stages/common/counted.h"

namespace beatscan {

namespace {

constexpr std::int64_t kMostTasks = 1'000'000'000;  // of a launcher, far more than any has

// Reads variables as whole numbers.
class Variables {
 public:
  explicit Variables(const Environment& environment) : environment_(environment) {}

  bool has(const std::string& name) const {
    const char* value = environment_(name.c_str());
    return value && *value;
  }

  std::optional<std::int64_t> number(const std::string& name) const {
    if (!has(name)) return std::nullopt;
    const std::string value = environment_(name.c_str());
    const auto number = parse_int64(value);
    if (!number || *number < -kMostTasks || *number > kMostTasks)  // products and differences of two then fit
      throw Error(ErrorKind::usage, name + "=" + beatscan::quoted(value) + " is not a whole number of at most " +
                                        std::to_string(kMostTasks) + "; " + kAdvice);
    return number;
  }

  // Returns the task given by two variables; nullopt if the size is not set.
  std::optional<Task> task(const std::string& launcher, const std::string& rank, const std::string& size) const {
    const auto count = number(size);
    if (!count) {
      // RANK alone may be set by another program; the other names are specific.
      if (rank != "RANK" && number(rank).value_or(0) > 0)
        throw Error(ErrorKind::usage, rank + " is set and " + size + " is not; " + kAdvice);
      return std::nullopt;
    }
    const auto place = number(rank);
    if (!place) throw Error(ErrorKind::usage, size + " is set and " + rank + " is not; " + kAdvice);
    if (*count < 1)
      throw Error(ErrorKind::usage, size + "=" + std::to_string(*count) + ": there is at least one task; " + kAdvice);
    if (*place < 0 || *place >= *count)
      throw Error(ErrorKind::usage, rank + "=" + std::to_string(*place) + " is out of range: " + size + " is " +
                                        std::to_string(*count) + ", and ranks count from 0; " + kAdvice);
    return Task{launcher, *place, *count};
  }

  std::optional<LocalTask> local(const std::string& rank, const std::string& size) const {
    const auto place = number(rank);
    if (!place || *place < 0 || *place > 100'000) return std::nullopt;
    const auto count = size.empty() ? std::nullopt : number(size);
    const bool fits = count && *count > *place && *count <= 100'000;
    return LocalTask{static_cast<int>(*place), fits ? static_cast<int>(*count) : 0};
  }

 private:
  static constexpr const char* kAdvice = "start the program with its launcher, or give --shard I/N";
  const Environment& environment_;
};

// Reads the tasks of a job array. Numbers with gaps, as in --array=1,5,7, do not determine the position among them.
void read_array(const Variables& variables, Launch& launch) {
  const auto id = variables.number("SLURM_ARRAY_TASK_ID");
  if (!id) return;
  const auto count = variables.number("SLURM_ARRAY_TASK_COUNT").value_or(1);
  const auto first = variables.number("SLURM_ARRAY_TASK_MIN").value_or(0),
             last = variables.number("SLURM_ARRAY_TASK_MAX").value_or(first + count - 1),
             step = variables.number("SLURM_ARRAY_TASK_STEP").value_or(1);
  if (count < 1)
    throw Error(ErrorKind::usage, "SLURM_ARRAY_TASK_COUNT=" + std::to_string(count) + ": there is at least one task");
  if (*id < first || *id > last)
    throw Error(ErrorKind::usage, "SLURM_ARRAY_TASK_ID=" + std::to_string(*id) + " is out of range: the array has " +
                                      std::to_string(first) + " to " + std::to_string(last));
  const bool even =
      step >= 1 && (last - first) % step == 0 && (last - first) / step + 1 == count && (*id - first) % step == 0;
  if (even)
    launch.array = Task{"the job array", (*id - first) / step, count};
  else
    launch.why_no_array = "the numbers of the job array have gaps (" + counted(count, "task") + " from " +
                          std::to_string(first) + " to " + std::to_string(last) +
                          "), so the position in it is unknown; submit --array=0-" + std::to_string(count - 1);
}

// Returns the number of tasks on this node, from a text such as "4(x2),3" with one count a node; 0 if unknown.
std::int64_t tasks_on_node(std::string text, std::int64_t node) {
  while (!text.empty()) {
    std::string part = text.substr(0, text.find(','));
    text.erase(0, part.size() + 1);
    const auto open = part.find("(x");
    const auto count = parse_int64(part.substr(0, open));
    const auto times = open == part.npos ? std::optional<std::int64_t>(1)
                                         : parse_int64(part.substr(open + 2, part.find(')') - open - 2));
    if (!count || !times) return 0;
    if (node < *times) return *count;
    node -= *times;
  }
  return 0;
}

void read_srun(const Variables& variables, const Environment& environment, Launch& launch) {
  const auto tasks = variables.number("SLURM_NTASKS");
  if (!tasks) {
    launch.tasks = variables.task("srun", "SLURM_PROCID", "SLURM_NTASKS");  // nothing to report for the first task
    return;
  }
  const bool in_step = variables.has("SLURM_STEP_ID") || !variables.has("SLURM_JOB_ID");
  const auto rank = variables.number("SLURM_PROCID");
  if ((!in_step && rank.value_or(0) == 0) || !rank) {
    launch.idle_tasks = *tasks > 1 ? *tasks : 0;
    return;
  }
  launch.tasks = variables.task("srun", "SLURM_PROCID", "SLURM_NTASKS");
  launch.local = variables.local("SLURM_LOCALID", "");
  const char* layout = environment("SLURM_STEP_TASKS_PER_NODE");
  if (!launch.local || !layout) return;
  const auto count = tasks_on_node(layout, variables.number("SLURM_NODEID").value_or(0));
  if (count > launch.local->rank && count <= 100'000) launch.local->size = static_cast<int>(count);
}

}  // namespace

Launch launch_of(const Environment& environment) {
  const Variables variables(environment);
  Launch launch;
  read_array(variables, launch);
  if ((launch.tasks = variables.task("torchrun", "RANK", "WORLD_SIZE")))
    launch.local = variables.local("LOCAL_RANK", "LOCAL_WORLD_SIZE");
  else if ((launch.tasks = variables.task("mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE")))
    launch.local = variables.local("OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE");
  else
    read_srun(variables, environment, launch);
  return launch;
}

Launch launch_of_process() {
  return launch_of([](const char* name) -> const char* { return std::getenv(name); });
}

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
