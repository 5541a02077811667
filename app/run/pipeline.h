// app/run/pipeline.h — one recording's way through all stages, on one device. Everything else is about what comes
// before it (configuration) and after it (files).
#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/config/config.h"
#include "app/files/sha256.h"
#include "app/result/run_result.h"
#include "app/run/sample_rate.h"
#include "app/run/stage_timer.h"
#include "app/text/log.h"

namespace beatscan {

struct RunRequest {
  std::filesystem::path input;
  const Config& config;
  RateGiven rate = {};
  bool save_arrays = false;
  std::filesystem::path model = {};                     // where these are from
  const std::vector<NamedArray>* parameters = nullptr;  // of a saved model, to be used instead of training one
  // By open_input:
  std::shared_ptr<const Input> files = {};
  std::shared_ptr<FileHash> sha256 = {};  // under way: it takes the longest
  std::exception_ptr unreadable = {};     // thrown by open_recording, where it concerns one recording of a batch
  std::filesystem::path checkpoint = {};  // of the training; empty: none is kept
  bool resume = false;                    // go on from it
  bool with_truth = false;                // its beats are compared with
};

// Opens the input, which for a pipe is to read it, and begins to hash it.
void open_input(RunRequest& request);

// A recording that has been read; the rest of its way is analyse()'s. Two steps, so that the next recording of a batch
// can be read while this one trains.
template <class Context>
struct OpenedRecording {
  Recording<Context> recording;
  SampleRate rate;
  StageTime ingest;
};

// Both throw Error where the recording, the configuration or the device does not serve.
template <class Context>
OpenedRecording<Context> open_recording(Context&, const RunRequest& request, const BytesReport& on_bytes);
template <class Context>
RunResult analyse(Context&, OpenedRecording<Context> opened, const RunRequest& request, Log& log);

}  // namespace beatscan
