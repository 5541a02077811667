// app/cohort/batch_progress.h — tells how far a batch has come: on a terminal in one line that is drawn again, and
// otherwise in a line a minute. With --log-format json a line has the figures as fields.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "app/text/log.h"

namespace beatscan {

struct BatchFigures {
  std::int64_t all = 0;
  std::int64_t made = 0, kept = 0, failed = 0;  // kept: complete before this run, or left to another process
  double elapsed_s = 0;

  std::int64_t done() const { return made + kept + failed; }
  // Returns how many recordings this run finished in a second. Kept results do not count, because they took no time.
  double per_second() const;
  // Returns the time that is left by that speed; a number below 0 where it is not known.
  double seconds_left() const;
};

// Returns "120 of 1,000 recordings, 2 failed, 14.2 a second, 1 min 2 s left".
std::string batch_figures_text(const BatchFigures& figures);

// Returns the figures as fields of a message.
Log::Figures fields_of(const BatchFigures& figures);

// Counts the recordings of a batch, whatever threads finish them, and tells the figures until it is destroyed.
class BatchProgress {
 public:
  BatchProgress(Log& log, std::int64_t recordings, std::chrono::milliseconds between_lines = std::chrono::minutes(1));
  ~BatchProgress();
  BatchProgress(BatchProgress&&) = delete;

  void made() { count(&BatchFigures::made); }
  void kept() { count(&BatchFigures::kept); }
  void failed() { count(&BatchFigures::failed); }
  void failed_elsewhere();  // one that was kept, as it was left to another process, has failed there
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
