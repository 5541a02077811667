// app/batch/stand_ins.h — processes that stand in for this one where it cannot use GPUs any more.
//
// After a kernel that fails, a process cannot use CUDA any more, on any GPU. Another process can, but not a copy of one
// that has used CUDA. So a copy of this one is kept that has not, and copies itself when a stand-in is asked for.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <memory>

#include "app/batch/gpus.h"

namespace beatscan {

// A process that analyses recordings, one at a time. It ends with the object, or when a GPU fails.
class StandIn {
 public:
  explicit StandIn(int socket) : socket_(socket) {}
  ~StandIn();
  StandIn(StandIn&&) = delete;

  // Has the process analyse a recording of the batch on a number of the host's threads. Throws the Error that it ended
  // with there: ErrorKind::device if the GPU failed or there is no process, and ErrorKind::internal if the process
  // ended before it was done. Throws Interrupted after a signal, which the process gets, too.
  void analyse(std::size_t recording, int threads);

 private:
  void stop(int signal);
  void hang_up();
  int socket_;         // -1: there is no process
  pid_t process_ = 0;  // known when it has answered first
};

class StandIns {
 public:
  // What a stand-in does with a recording. Throws Error.
  using Work = std::function<void(std::size_t recording)>;
  // Called in a new process, with the GPU that it is for.
  using MakeWork = std::function<Work(const Gpu&)>;

  // Copies this process, which must not have used CUDA and should have no other threads. If that fails, stand-ins
  // cannot be had, which is seen when one is used.
  explicit StandIns(const MakeWork& make_work);
  ~StandIns();
  StandIns(StandIns&&) = delete;

  // Starts a process. Any thread may call it.
  std::unique_ptr<StandIn> start(const Gpu& gpu) const;

 private:
  int socket_ = -1;
};

}  // namespace beatscan
