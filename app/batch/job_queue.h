// app/batch/job_queue.h — distributes the recordings of a batch to the threads that analyse them.
//
// The largest recording comes first, so that the batch does not end with a long one. A device and the host process as
// many recordings at a time as their memory holds, and at least one. All functions are thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "kernels/machine/condition_variable.h"

namespace beatscan {

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
