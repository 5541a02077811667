// app/batch/shard.h — the part of a batch that this process analyses, if several processes share the work.
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
