#include "app/batch/launcher.h"

#include <cstdlib>
#include <utility>

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

}  // namespace beatscan
