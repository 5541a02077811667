// kernels/runtime/idle.h — a free list of CUDA objects of each device. CUDA makes and deletes streams and events under
// a lock that keeps all other threads from the GPU, so they are reused.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace beatscan {

// Any thread may call these functions.
template <class T>
class IdleOfDevices {
 public:
  // Returns a free object of the device; nothing if there is none.
  std::optional<T> take(int device) {
    const std::lock_guard lock(mutex_);
    auto& kept = of_device_[device];
    if (kept.empty()) return std::nullopt;
    T taken = std::move(kept.back());
    kept.pop_back();
    return taken;
  }
  void keep(int device, T idle) {
    const std::lock_guard lock(mutex_);
    of_device_[device].push_back(std::move(idle));
  }

 private:
  std::mutex mutex_;
  std::map<int, std::vector<T>> of_device_;
};

}  // namespace beatscan
