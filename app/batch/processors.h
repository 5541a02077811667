// app/batch/processors.h — divides the process's threads among the recordings that are analysed concurrently.
#pragma once

#include <algorithm>
#include <mutex>

#include "kernels/machine/host_threads.h"

namespace beatscan {

// All functions are thread-safe.
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

}  // namespace beatscan
