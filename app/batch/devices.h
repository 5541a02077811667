// app/batch/devices.h — the devices of a run, what their memory and processors allow, and the queue of recordings for
// them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "kernels/machine/condition_variable.h"
#include "kernels/machine/host_threads.h"
#include "kernels/machine/processor_set.h"

namespace beatscan {

class Log;
struct Config;
struct CudaAvailability;
struct PoolOptions;

// One GPU: its CUDA device number, and the number that the user knows it by.
struct Gpu {
  int device = 0, number = 0;
};

// Returns how many GPUs a process may see, without starting CUDA; nullopt if unknown.
std::optional<int> visible_gpus();

// Returns whether all GPUs of the machine are of the same model. The folder is the driver's, /proc/driver/nvidia/gpus.
bool of_one_model(const std::filesystem::path& folder);

// Hides unused GPUs by CUDA_VISIBLE_DEVICES: CUDA starts in 0.75 s if it sees one of four GPUs, and in 1.8 s if it sees
// all. Must be called before CUDA and other threads start. Returns the user's numbers of the remaining GPUs, in CUDA's
// order; empty if none was hidden. Hides nothing if the first GPU may be older than others and the configuration names
// none.
//   one_recording  whether there is only one recording, which uses one GPU
std::vector<int> hide_other_gpus(const Config& config, bool one_recording);

// Makes CUDA load all kernels at start, by CUDA_MODULE_LOADING. That is faster than loading each one at its first use,
// in the middle of a stage. A value set by the user is kept. Must be called before CUDA and other threads start.
void load_kernels_at_start();

// Makes CUDA open one channel to the GPU instead of eight, by CUDA_DEVICE_MAX_CONNECTIONS, which shortens its start and
// its end (docs/performance.md). Work on one stream then waits for what the other has queued; for one recording that
// costs less than it saves. A value set by the user is kept. Must be called before CUDA and other threads start.
void use_one_channel();

// Returns the GPUs that the configuration requests, among `left`, the result of hide_other_gpus. If it returns none,
// the CPU does the work; a build with CUDA reports that no GPU was found. GPUs too old for this build are skipped with
// a message. Throws ErrorKind::device if a required GPU is missing, if the configuration names one that is too old, or
// if the published method lacks cuFFT.
std::vector<Gpu> gpus_to_use(const Config& config, const std::vector<int>& left, const Log& log);

// The same for an explicit list of CUDA's GPUs.
std::vector<Gpu> gpus_among(const CudaAvailability& cuda, const Config& config, const std::vector<int>& left,
                            const Log& log);

// The same as gpus_to_use for one recording.
std::optional<Gpu> gpu_to_use(const Config& config, const Log& log);

// Binds the threads of each GPU to the processors near it.
//
// On a host with several NUMA nodes, a GPU is attached to one of them. Copies from another node's memory, and commands
// from its processors, take longer.

// Selects the processors that the threads of each GPU are bound to. Returns one set for each GPU; all are empty if
// threads may run anywhere. Threads are bound only if that costs nothing: the GPUs are near different processors, and
// each group has enough processors for its threads.
//   near     for each GPU the processors near it; empty: unknown
//   allowed  the processors that the process may run on
//   threads  the number of threads of the process
std::vector<ProcessorSet> processors_to_stay_on(std::vector<ProcessorSet> near, const ProcessorSet& allowed,
                                                int threads);

// The same for the GPUs of this host.
std::vector<ProcessorSet> processors_to_stay_on(const std::vector<Gpu>& gpus);

// Returns the bytes that a device has for recordings: three quarters of the memory available to the program. Without a
// GPU, the device is the CPU.
std::int64_t room_on(const std::optional<Gpu>& gpu, const PoolOptions& pool);

// Returns how many recordings a device processes at a time, 1 or more. A low limit on open files (ulimit -n) reduces
// the number.
//   needs   bytes of each recording, see memory_needed
//   wanted  value of --in-flight; 0: chosen by the program
int recordings_at_a_time(bool on_gpu, std::size_t devices, const std::vector<std::int64_t>& needs, int wanted);

struct BatchDevice {
  std::optional<Gpu> gpu;  // nullopt: the CPU
  int recordings;          // at a time, each on its own thread
  ProcessorSet stays_on;   // processors that the threads are bound to; empty: all
};

// Returns the devices for recordings: the GPUs, or the CPU if there is none. The parameters are those of
// recordings_at_a_time.
std::vector<BatchDevice> batch_devices(const std::vector<Gpu>& gpus, const std::vector<std::int64_t>& needs,
                                       int wanted);

// Divides the process's threads among the recordings that are analysed concurrently. All functions are thread-safe.
class Processors {
 public:
  // Returns the threads for each recording: all if there is one recording, and at least 1.
  const Share& share() const { return share_; }

  // Counts a recording during the object's lifetime. Its construction and destruction redistribute the threads.
  class Use {
   public:
    explicit Use(Processors& processors) : processors_(processors) { processors_.count(1); }
    ~Use() { processors_.count(-1); }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    Processors& processors_;
  };

 private:
  void count(int more) {
    const std::lock_guard lock(mutex_);  // otherwise an outdated share could be written last
    recordings_ += more;
    share_ = std::max(1, process_threads() / std::max(recordings_, 1));
  }

  std::mutex mutex_;
  int recordings_ = 0;
  Share share_ = process_threads();
};

// What happens to a recording after a GPU failure.
enum class AfterGpuFailure {
  again_alone,          // the GPU works: retry with the GPU to itself
  by_a_worker_process,  // this process can no longer use the GPU: retry in a worker process
  on_another_device,    // the GPU is lost: other devices take its recordings
  on_cpu,               // the CPU takes this recording
  all_on_cpu,           // the CPU takes this recording and all later ones
  fails                 // the recording fails
};

struct GpuFailure {
  bool gpu_works;               // true after lack of memory, false after a CUDA error
  bool was_alone;               // no other recording was on the GPU
  bool worker_process = false;  // a worker process may try it
  bool others_left;             // other GPUs of this run still work
  bool may_use_cpu;             // `--device auto`
  bool only_this = false;       // later recordings can still use a GPU
};

constexpr AfterGpuFailure after(const GpuFailure& failure) {
  if (failure.gpu_works && !failure.was_alone) return AfterGpuFailure::again_alone;
  if (failure.worker_process) return AfterGpuFailure::by_a_worker_process;
  if (!failure.gpu_works && failure.others_left) return AfterGpuFailure::on_another_device;
  if (!failure.may_use_cpu) return AfterGpuFailure::fails;
  return failure.gpu_works || failure.only_this ? AfterGpuFailure::on_cpu : AfterGpuFailure::all_on_cpu;
}

// Distributes the recordings of a batch to the threads that analyse them.
//
// The largest recording comes first, so that the batch does not end with a long one. A device and the host process as
// many recordings at a time as their memory holds, and at least one. All functions are thread-safe.

class JobQueue {
 public:
  // needs         upper bound of the bytes of each recording, estimated before it is read
  // device_rooms  bytes that each device has for recordings; the position in this list identifies the device
  // host_room     bytes that the host has for the recordings of all devices together
  JobQueue(std::vector<std::int64_t> needs, const std::vector<std::int64_t>& device_rooms, std::int64_t host_room);

  struct Taken {
    std::size_t job;
    bool alone;  // the device takes no other recording until this one is done
  };
  // Returns the next recording for a device; waits until there is memory for it. Returns nullopt if none will come: all
  // are done, or stop() was called.
  std::optional<Taken> take(std::size_t device);
  // Marks a taken recording as done: it has a result or has finally failed.
  void finish(std::size_t device, Taken taken);
  // Returns a recording to the queue, for any device.
  void give_back(std::size_t device, Taken taken);
  // Returns a recording to the queue that needs a device to itself. This device takes no other recording before it.
  void give_back_for_a_device_alone(std::size_t device, Taken taken);
  // Hands out no more recordings.
  void stop();

 private:
  struct Room {
    std::int64_t bytes, used = 0, jobs = 0;
    bool closed = false;  // processes a recording exclusively, or waits for one
    std::int64_t left() const;
  };
  using Waiting = std::pair<std::int64_t, std::size_t>;  // negated need, so that the largest is first; the recording
  std::optional<Taken> taken_if_any(Room& device);
  void enter(Room& device, std::size_t job);
  void leave(Room& device, Taken taken);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::int64_t> needs_;
  std::set<Waiting> waiting_, waiting_for_a_device_alone_;
  std::vector<Room> devices_;
  Room host_;
  bool stopped_ = false;
};

}  // namespace beatscan
