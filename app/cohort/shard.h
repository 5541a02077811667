// app/cohort/shard.h — the part of a batch that this process does, where several processes share the work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace beatscan {

struct Launch;
struct ListedRecording;
struct LocalTask;

// Shard I of N, counted from 0. One of one is the whole batch.
struct Shard {
  std::int64_t index = 0, count = 1;
  bool whole() const { return count == 1; }
};

std::string text_of(const Shard& shard);  // "2/8"

struct ShardChoice {
  Shard shard;
  std::string from = "";              // what told it, for a message; empty: --shard was not given, or gave numbers
  std::vector<std::string> warnings;  // a launcher that is not made use of
};

// Reads the value of --shard: "I/N", "auto" for what the launcher says, or nothing. A job array of which each job has
// several tasks is shared among all of them. `several` tells whether there are several recordings. Throws
// ErrorKind::usage where the value is wrong or the launcher contradicts itself.
ShardChoice shard_of(const std::string& value, const Launch& launch, bool several);

// Returns the numbers of the shard's recordings in `all`, ascending. Recordings are dealt out in the order of their
// names, one to each shard in turn. So neither the order of a list nor its doubles change which shard does a recording.
std::vector<std::size_t> members_of(const Shard& shard, const std::vector<ListedRecording>& all);

// Returns the GPUs, of `visible` ones, that a task uses beside the other tasks of its host. With more tasks than GPUs
// the tasks share them in turn; with fewer each takes every size-th. If `local` has no size, the task uses only the GPU
// of its rank.
std::vector<int> gpus_of_task(const LocalTask& local, int visible);

}  // namespace beatscan
