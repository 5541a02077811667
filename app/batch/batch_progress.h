// app/batch/batch_progress.h — shows the progress of a batch: on a terminal in one line that is redrawn, and otherwise
// in a line a minute. With --log-format json a line has the figures as fields.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "app/common/log.h"

namespace beatscan {

struct BatchFigures {
  std::int64_t all = 0;
  std::int64_t made = 0, kept = 0, failed = 0;  // kept: complete before this run, or left to another process
  double elapsed_s = 0;

  std::int64_t done() const { return made + kept + failed; }
  // Returns how many recordings this run finishes per second. Kept results do not count, because they took no time.
  double per_second() const;
  // Returns the estimated time left; a negative number if unknown.
  double seconds_left() const;
};

// Returns "120 of 1,000 recordings, 2 failed, 14.2 a second, 1 min 2 s left".
std::string batch_figures_text(const BatchFigures& figures);

// Returns the figures as fields of a message.
Log::Figures fields_of(const BatchFigures& figures);

// Counts the recordings of a batch, from any thread, and shows the figures until it is destroyed.
class BatchProgress {
 public:
  BatchProgress(Log& log, std::int64_t recordings, std::chrono::milliseconds between_lines = std::chrono::minutes(1));
  ~BatchProgress();
  BatchProgress(BatchProgress&&) = delete;

  void made() { count(&BatchFigures::made); }
  void kept() { count(&BatchFigures::kept); }
  void failed() { count(&BatchFigures::failed); }
  void failed_elsewhere();  // a kept recording, left to another process, has failed there
  BatchFigures figures() const;

 private:
  void count(std::int64_t BatchFigures::*what);
  void tell() const;
  void tell_until(const std::stop_token& stop);

  Log& log_;
  const std::chrono::milliseconds between_lines_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  BatchFigures figures_;
  std::jthread teller_;  // declared last, so that it ends first
};

}  // namespace beatscan
