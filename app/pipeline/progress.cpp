#include "app/pipeline/progress.h"

#include <algorithm>
#include <cmath>

#include "app/common/log.h"
#include "app/common/numbers.h"
#include "stages/common/interrupt.h"

namespace beatscan {

namespace {

// Estimates the time left from the speed so far.
std::string time_left(double share, double elapsed_s) {
  return share > 0 && share < 1 ? ", " + duration(std::ceil(elapsed_s * (1 - share) / share)) + " left" : "";
}

double share_of(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? std::clamp(static_cast<double>(part) / static_cast<double>(whole), 0.0, 1.0) : 1;
}

}  // namespace

std::string ingest_figures(std::int64_t done, std::int64_t total, double elapsed_s) {
  const double rate = static_cast<double>(done) / std::max(elapsed_s, 1e-6);
  return megabytes(static_cast<double>(done)) + " of " + megabytes(static_cast<double>(total)) + ", " +
         fixed(rate * 1e-6, 0) + " MB/s" + time_left(share_of(done, total), elapsed_s);
}

std::string training_figures(int epochs_done, int epochs, double loss, double elapsed_s, int before) {
  return "epoch " + std::to_string(epochs_done) + " of " + std::to_string(epochs) + ", loss " + fixed(loss, 5) +
         time_left(share_of(epochs_done - before, epochs - before), elapsed_s);
}

BytesReport ingest_progress(Log& log) {
  return [&log, start = Clock::now()](std::int64_t done, std::int64_t total) {
    throw_if_interrupted();
    log.progress("ingest", share_of(done, total), ingest_figures(done, total, seconds_between(start, Clock::now())));
  };
}

EpochReport training_progress(Log& log, const std::string& recording) {
  return [&log, recording, start = Clock::now(), before = -1](const EpochEnd& end) mutable {
    throw_if_interrupted();
    if (before < 0) before = end.epoch;
    const int done = end.epoch + 1;
    log.progress("training", share_of(done, end.epochs),
                 training_figures(done, end.epochs, end.loss, seconds_between(start, Clock::now()), before));
    log.detail(recording + ": epoch " + std::to_string(done) + ": loss " + fixed(end.loss, 6));
  };
}

}  // namespace beatscan
