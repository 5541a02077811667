// app/batch/stand_ins.h — processes that stand in for this one where it cannot use GPUs any more.
//
// After a kernel that fails, a process cannot use CUDA any more, on any GPU. Another process can, but not a copy of one
// that has used CUDA. So a copy of this process is made early, before it uses CUDA. It does nothing but copy itself
// when a stand-in is asked for.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace beatscan {

struct Gpu;

// A process that analyses recordings, one at a time. It ends with the object, or when its GPU works no more.
class StandIn {
 public:
  explicit StandIn(int socket) : socket_(socket) {}
  ~StandIn();
  StandIn(StandIn&&) = delete;

  struct Order {
    std::size_t recording;  // of the batch
    bool resume;            // its training goes on from a checkpoint
    int threads;            // of the host, that it may take
  };
  // Has the process analyse a recording. Throws the Error that it ended with there: ErrorKind::device if the GPU failed
  // or lacks memory, and if the process has ended. `name` is that of the recording in messages. Throws Interrupted
  // after a signal. The process gets the signal, too.
  void analyse(const Order& order, const std::string& name);
  bool has_ended() const { return socket_ < 0; }

 private:
  void send(const Order& order);
  void wait_for_message();
  void stop(int signal);
  void hang_up();
  int socket_;         // -1: there is no process
  pid_t process_ = 0;  // known when it has answered first
  int requests_ = 0;   // for a checkpoint, that need not be passed on
};

class StandIns {
 public:
  // Does the work of a stand-in.
  struct Work {
    std::function<void(std::size_t recording, bool resume)> analyse;  // throws Error
    std::function<bool()> gpu_works;                                  // still, after an error of ErrorKind::device
  };
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
  pid_t copy_ = -1;
};

}  // namespace beatscan
