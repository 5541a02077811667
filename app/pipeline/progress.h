// app/pipeline/progress.h — the progress of reading and training, the two long parts of a run. Only shown on a
// terminal: see Log::progress.
#pragma once

#include <cstdint>
#include <string>

#include "stages/io/recording/recording.h"
#include "stages/model/vae.h"

namespace beatscan {

class Log;

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
