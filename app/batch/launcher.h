// app/batch/launcher.h — detects from the environment which launcher started this process and its siblings.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace beatscan {

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

}  // namespace beatscan
