// app/batch/worker_processes.h — worker processes that take over when this process can no longer use GPUs.
//
// After a kernel fails, a process cannot use CUDA any more, on any GPU. Another process can, but not a fork of one that
// has used CUDA. So this process is forked early, before it uses CUDA. The copy only forks itself when a worker process
// is requested. A program started anew would have to be given the plan, and a list from a pipe can be read only once.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace beatscan {

struct Gpu;

// A process that analyses recordings, one at a time. It ends with the object, or when its GPU is no longer usable.
class WorkerProcess {
 public:
  explicit WorkerProcess(int socket) : socket_(socket) {}
  ~WorkerProcess();
  WorkerProcess(WorkerProcess&&) = delete;

  struct Order {
    std::size_t recording;  // index in the batch
    bool resume;            // continues its training from a checkpoint
    int threads;            // of the host, that it may use
  };
  // Makes the process analyse a recording. Throws the process's Error: ErrorKind::device if the GPU failed or lacks
  // memory, and if the process has ended. `name` is the recording's name in messages. After a signal, forwards it to
  // the process and throws Interrupted.
  void analyse(const Order& order, const std::string& name);
  bool has_ended() const { return socket_ < 0; }

 private:
  void send(const Order& order);
  void wait_for_message();
  void stop(int signal);
  void hang_up();
  int socket_;         // -1: no process
  pid_t process_ = 0;  // known after its first answer
  int requests_ = 0;   // for a checkpoint, not to be forwarded
};

class WorkerProcesses {
 public:
  // The work of a worker process.
  struct Work {
    std::function<void(std::size_t recording, bool resume)> analyse;  // throws Error
    std::function<bool()> gpu_works;                                  // still, after an error of ErrorKind::device
  };
  // Called in a new process with the GPU assigned to it.
  using MakeWork = std::function<Work(const Gpu&)>;

  // Forks this process, which must not have used CUDA and should have no other threads. If that fails, the error
  // appears when a worker process is first used.
  explicit WorkerProcesses(const MakeWork& make_work);
  ~WorkerProcesses();
  WorkerProcesses(WorkerProcesses&&) = delete;

  // Starts a worker process. Thread-safe.
  std::unique_ptr<WorkerProcess> start(const Gpu& gpu) const;

 private:
  int socket_ = -1;
  pid_t copy_ = -1;
};

}  // namespace beatscan
