// app/batch/job_queue.h — hands out the recordings of a batch to the threads that analyse them.
//
// The largest recording comes first, so that no long one is begun when all others are done. A device and the host's
// memory take as many recordings at a time as have room there, and always one. Any thread may call any function.
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
  // needs         bytes that each recording takes at most, as far as can be told before it is read
  // device_rooms  bytes that each device has for recordings; a device is known by its place in this list
  // host_room     bytes that the host has for recordings of all devices together
  JobQueue(std::vector<std::int64_t> needs, const std::vector<std::int64_t>& device_rooms, std::int64_t host_room);

  struct Taken {
    std::size_t job;
    bool alone;  // no other recording is on the device until this one leaves it
  };
  // Returns the next recording for a device, and waits where there is no room yet. Returns nothing when there will be
  // none: all are done, or stop() was called.
  std::optional<Taken> take(std::size_t device);
  // Says that a recording that was taken has its result, or has failed for good.
  void finish(std::size_t device, Taken taken);
  // Gives a recording back, for any device to take.
  void give_back(std::size_t device, Taken taken);
  // Gives a recording back that needs a device to itself. This device takes no other recording before it.
  void give_back_for_a_device_alone(std::size_t device, Taken taken);
  // Hands out no more recordings.
  void stop();

 private:
  struct Room {
    std::int64_t bytes, used = 0, jobs = 0;
    bool closed = false;  // has a recording to itself, or waits for one
    std::int64_t left() const;
  };
  using Waiting = std::pair<std::int64_t, std::size_t>;  // minus its need, so that the largest is first; the recording
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
