// app/pipeline/progress.h — the times of stages, and their progress on a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "app/output/run_result.h"
#include "kernels/runtime/buffer.h"
#include "stages/common/interrupt.h"
#include "stages/io/recording/recording.h"
#include "stages/model/vae.h"
#ifdef BEATSCAN_WITH_CUDA
#include <nvtx3/nvToolsExt.h>
#endif

namespace beatscan {

class Log;

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

// Both start timing at construction. Their callbacks throw Interrupted if a signal asks the program to stop. Each
// detail line names the recording, because lines of recordings trained concurrently are interleaved.
BytesReport ingest_progress(Log& log);
EpochReport training_progress(Log& log, const std::string& recording);

// Returns "186 MB of 506 MB, 410 MB/s, 1 s left". The time left is omitted at the start and at the end.
std::string ingest_figures(std::int64_t done, std::int64_t total, double elapsed_s);

// Returns "epoch 3 of 30, loss 0.51234, 14 s left". `before` of the completed epochs were run earlier, and their time
// is not in elapsed_s.
std::string training_figures(int epochs_done, int epochs, double loss, double elapsed_s, int before = 0);

}  // namespace beatscan
