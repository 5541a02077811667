// app/pipeline/stage_timer.h — measures the time of each stage, and the minimum number of bytes it had to move.
#pragma once

#include <chrono>
#include <vector>

#ifdef BEATSCAN_WITH_CUDA
#include <nvtx3/nvToolsExt.h>
#endif

#include "app/output/stage_time.h"
#include "kernels/runtime/buffer.h"
#include "stages/common/interrupt.h"

namespace beatscan {

using Clock = std::chrono::steady_clock;
inline const Clock::time_point kProgramStart = Clock::now();

inline double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

template <class T, class Context>
std::int64_t bytes_of(const Buffer<T, Context>& buffer) {
  return buffer.size() * static_cast<std::int64_t>(sizeof(T));
}

class StageTimer {
 public:
  // Runs work(), waits for the context, and records time and bytes(result). Profilers show the stage as a range.
  template <class Context, class Work, class Bytes>
  auto timed(Context& context, const char* name, Work&& work, Bytes&& bytes) {
    throw_if_interrupted();
    const Range range(name);
    const auto start = Clock::now();
    auto result = work();
    context.synchronize();
    stages_.push_back(
        {name, seconds_between(kProgramStart, start), seconds_between(start, Clock::now()), bytes(result)});
    return result;
  }
  // Adds stages measured by another timer.
  void add(const std::vector<StageTime>& stages) { stages_.insert(stages_.end(), stages.begin(), stages.end()); }
  std::vector<StageTime> take() { return std::move(stages_); }

 private:
  struct Range {
#ifdef BEATSCAN_WITH_CUDA
    explicit Range(const char* name) { nvtxRangePushA(name); }
    ~Range() { nvtxRangePop(); }
#else
    explicit Range(const char*) {}
#endif
  };
  std::vector<StageTime> stages_;
};

}  // namespace beatscan
