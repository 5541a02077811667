// app/batch/shard.h — the part of a batch that this process analyses, if a launcher or --shard divides it among
// several.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace beatscan {

struct ListedRecording;

// One of several tasks.
struct Task {
  std::string launcher;  // "torchrun", "mpirun", "srun", "the job array"
  std::int64_t rank = 0, size = 1;
};

// The position of a task among those on its host, for dividing the host's GPUs. `size` is 0 if unknown.
struct LocalTask {
  int rank = 0, size = 0;
};

struct Launch {
  std::optional<Task> tasks;  // processes of one job
  std::optional<Task> array;  // jobs of a Slurm array
  std::optional<LocalTask> local;
  std::int64_t idle_tasks = 0;    // tasks of a Slurm job that were not started because srun is missing
  std::string why_no_array = "";  // why the position in the job array is unknown; empty: no reason
};

// Returns the value of a variable, or null.
using Environment = std::function<const char*(const char* name)>;

// Reads these variables, the innermost launcher first, because a launcher may itself have been started by the next:
//   torchrun    RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE
//   OpenMPI     OMPI_COMM_WORLD_RANK, _SIZE, _LOCAL_RANK, _LOCAL_SIZE
//   srun        SLURM_PROCID, SLURM_NTASKS, SLURM_LOCALID; a batch script has them too, but no SLURM_STEP_ID
// and, beside them, the job array: SLURM_ARRAY_TASK_ID, _COUNT, _MIN, _MAX, _STEP. Throws ErrorKind::usage where they
// contradict each other, such as a rank that is not below the size.
Launch launch_of(const Environment& environment);
Launch launch_of_process();

// Shard I of N, counted from 0. One of one is the whole batch.
struct Shard {
  std::int64_t index = 0, count = 1;
  bool whole() const { return count == 1; }
};

std::string text_of(const Shard& shard);  // "2/8"

struct ShardChoice {
  Shard shard;
  std::string from = "";              // its source, for a message; empty: --shard was not given, or gave numbers
  std::vector<std::string> warnings;  // a launcher that is ignored
};

// Reads the value of --shard: "I/N", "auto" for the launcher's numbers, or nothing. If each job of a job array has
// several tasks, the batch is divided among all of them. `several`: there are several recordings. Throws
// ErrorKind::usage if the value is invalid or the launcher contradicts itself.
ShardChoice shard_of(const std::string& value, const Launch& launch, bool several);

// Returns the indices of the shard's recordings in `all`, ascending. Recordings are assigned to the shards in turn, in
// the order of their names. So neither the order of a list nor its duplicates change which shard analyses a recording.
std::vector<std::size_t> members_of(const Shard& shard, const std::vector<ListedRecording>& all);

// Returns the GPUs, of `visible` ones, for one of the tasks of a host. If there are more tasks than GPUs, the tasks
// share them in turn; with fewer tasks, each takes every size-th. If `local` has no size, the task uses only the GPU of
// its rank.
std::vector<int> gpus_of_task(const LocalTask& local, int visible);

}  // namespace beatscan
