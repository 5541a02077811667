// app/batch/processors.h — shares the process's threads out among the recordings that are analysed at a time.
#pragma once

#include <algorithm>
#include <mutex>

#include "kernels/machine/host_threads.h"

namespace beatscan {

// Any thread may call any function.
class Processors {
 public:
  // Returns the threads that each recording may take: all for one recording, and never less than 1.
  const Share& share() const { return share_; }

  // Counts a recording while the object lives. The threads are shared out anew when it begins and when it ends.
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
    const std::lock_guard lock(mutex_);  // without it an earlier share could be written last
    recordings_ += more;
    share_ = std::max(1, process_threads() / std::max(recordings_, 1));
  }

  std::mutex mutex_;
  int recordings_ = 0;
  Share share_ = process_threads();
};

}  // namespace beatscan
