#include "app/batch/job_queue.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace beatscan {

JobQueue::JobQueue(std::vector<std::int64_t> needs, const std::vector<std::int64_t>& device_rooms,
                   std::int64_t host_room)
    : needs_(std::move(needs)), host_{host_room} {
  for (std::size_t job = 0; job < needs_.size(); ++job) waiting_.insert({-needs_[job], job});
  for (const std::int64_t bytes : device_rooms) devices_.push_back({bytes});
}

std::int64_t JobQueue::Room::left() const {
  return jobs == 0 ? std::numeric_limits<std::int64_t>::max() : std::max<std::int64_t>(bytes - used, 0);
}

void JobQueue::enter(Room& device, std::size_t job) {
  for (Room* room : {&device, &host_}) {
    ++room->jobs;
    room->used += needs_[job];
  }
}

std::optional<JobQueue::Taken> JobQueue::taken_if_any(Room& device) {
  if (device.jobs == 0 && !waiting_for_a_device_alone_.empty()) {
    const auto first = waiting_for_a_device_alone_.begin();
    const std::size_t job = first->second;
    if (needs_[job] <= host_.left()) {
      waiting_for_a_device_alone_.erase(first);
      enter(device, job);
      device.closed = true;
      return Taken{job, true};
    }
  }
  if (device.jobs == 0 && waiting_for_a_device_alone_.empty()) device.closed = false;  // another device took it
  if (device.closed) return std::nullopt;
  const auto found = waiting_.lower_bound({-std::min(device.left(), host_.left()), 0});
  if (found == waiting_.end()) return std::nullopt;
  const std::size_t job = found->second;
  waiting_.erase(found);
  enter(device, job);
  return Taken{job, false};
}

std::optional<JobQueue::Taken> JobQueue::take(std::size_t device) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (stopped_) return std::nullopt;
    if (const auto taken = taken_if_any(devices_[device])) return taken;
    if (waiting_.empty() && waiting_for_a_device_alone_.empty() && host_.jobs == 0) return std::nullopt;
    changed_.wait(lock);
  }
}

void JobQueue::leave(Room& device, Taken taken) {
  for (Room* room : {&device, &host_}) {
    --room->jobs;
    room->used -= needs_[taken.job];
  }
  if (taken.alone) device.closed = false;
  changed_.notify_all();
}

void JobQueue::finish(std::size_t device, Taken taken) {
  const std::lock_guard lock(mutex_);
  leave(devices_[device], taken);
}

void JobQueue::give_back(std::size_t device, Taken taken) {
  const std::lock_guard lock(mutex_);
  leave(devices_[device], taken);
  waiting_.insert({-needs_[taken.job], taken.job});
}

void JobQueue::give_back_for_a_device_alone(std::size_t device, Taken taken) {
  const std::lock_guard lock(mutex_);
  leave(devices_[device], taken);
  devices_[device].closed = true;
  waiting_for_a_device_alone_.insert({-needs_[taken.job], taken.job});
}

void JobQueue::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

}  // namespace beatscan
