// app/run/progress.h — tells how far reading and training, the two long parts of a run, have come. Only a terminal
// shows it: see Log::progress.
#pragma once

#include <cstdint>
#include <string>

#include "stages/recording/recording.h"
#include "stages/vae/vae.h"

namespace beatscan {

class Log;

// Both begin to count the time when they are made. Their reports throw Interrupted where a signal asks the program to
// stop. Each line of details names the recording: those of several that are trained side by side are mixed.
BytesReport ingest_progress(Log& log);
EpochReport training_progress(Log& log, const std::string& recording);

// Returns "186 MB of 506 MB, 410 MB/s, 1 s left". The time left is missing where nothing or all is done.
std::string ingest_figures(std::int64_t done, std::int64_t total, double elapsed_s);

// Returns "epoch 3 of 30, loss 0.51234, 14 s left". Of the epochs that are done `before` were done by an earlier run,
// not in elapsed_s.
std::string training_figures(int epochs_done, int epochs, double loss, double elapsed_s, int before = 0);

}  // namespace beatscan
