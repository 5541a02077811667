#include "app/batch/batch_progress.h"

#include <algorithm>
#include <cmath>
#include <stop_token>

#include "app/common/numbers.h"

namespace beatscan {

double BatchFigures::per_second() const { return elapsed_s > 0 ? static_cast<double>(made + failed) / elapsed_s : 0; }

double BatchFigures::seconds_left() const {
  const double speed = per_second();
  return speed > 0 ? static_cast<double>(all - done()) / speed : -1;
}

std::string batch_figures_text(const BatchFigures& figures) {
  std::string text = grouped(figures.done()) + " of " + grouped(figures.all, "recording");
  if (figures.kept > 0) text += ", " + grouped(figures.kept) + " kept";
  text += ", " + grouped(figures.failed) + " failed";
  const double speed = figures.per_second();
  if (figures.made + figures.failed > 0)
    text += ", " + (speed < 1000 ? significant(speed, 3) : grouped(std::llround(speed))) + " a second";
  if (figures.done() < figures.all && figures.seconds_left() >= 0)
    text += ", " + duration(std::ceil(figures.seconds_left())) + " left";
  return text;
}

Log::Figures fields_of(const BatchFigures& figures) {
  return {{"done", static_cast<double>(figures.done())}, {"of", static_cast<double>(figures.all)},
          {"kept", static_cast<double>(figures.kept)},   {"failed", static_cast<double>(figures.failed)},
          {"per_second", figures.per_second()},          {"seconds_left", figures.seconds_left()}};
}

BatchProgress::BatchProgress(Log& log, std::int64_t recordings, std::chrono::milliseconds between_lines)
    : log_(log), between_lines_(between_lines) {
  figures_.all = recordings;
  teller_ = std::jthread([this](const std::stop_token& stop) { tell_until(stop); });
}

BatchProgress::~BatchProgress() {
  teller_.request_stop();
  teller_.join();
  log_.end_progress();
}

BatchFigures BatchProgress::figures() const {
  const std::scoped_lock lock(mutex_);
  BatchFigures figures = figures_;
  figures.elapsed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  return figures;
}

void BatchProgress::count(std::int64_t BatchFigures::*what) {
  const std::scoped_lock lock(mutex_);
  ++(figures_.*what);
}

void BatchProgress::failed_elsewhere() {
  const std::scoped_lock lock(mutex_);
  --figures_.kept;
  ++figures_.failed;
}

void BatchProgress::tell() const {
  const BatchFigures now = figures();
  const std::string text = batch_figures_text(now);
  if (log_.draws()) {
    log_.progress("batch", static_cast<double>(now.done()) / static_cast<double>(std::max<std::int64_t>(now.all, 1)),
                  text);
    return;
  }
  log_.figures("batch: " + text, fields_of(now));
}

void BatchProgress::tell_until(const std::stop_token& stop) {
  const auto period = log_.draws() ? std::chrono::milliseconds(200) : between_lines_;
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    changed_.wait_for(lock, stop, period, [] { return false; });
    if (stop.stop_requested()) return;
    lock.unlock();
    tell();
    lock.lock();
  }
}

}  // namespace beatscan
