// app/pipeline/pipeline.h — analyses one recording, through all stages, on one device.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/config/config.h"
#include "app/output/run_result.h"
#include "app/output/tables/table.h"
#include "app/pipeline/run_options.h"
#include "app/pipeline/sample_rate.h"
#include "stages/io/recording/recording.h"

namespace beatscan {

class FileHash;
class Log;
struct Input;
struct Models;

// A saved model that is used instead of training one.
struct ModelToUse {
  std::filesystem::path path;
  std::vector<NamedArray> parameters;
  std::optional<TrainingSpread> training_spread = {};  // of its training beats; nullopt: unknown
};

// The request for one recording: its path and options. It is a value type, which any thread may keep.
struct RunRequest {
  std::filesystem::path input;
  std::string name = record_name(input);  // name of the recording in the result
  Config config;
  RateGiven rate;
  std::shared_ptr<const ModelToUse> model = nullptr;  // null: a model is trained
  std::shared_ptr<const Models> models = nullptr;     // null: read those that the configuration names
  bool save_arrays = false;
  Pages report = Pages::all;
  TableForm beats = TableForm::csv;
  std::filesystem::path truth = {};       // reference annotations to compare with; empty: none
  std::filesystem::path events = {};      // the diary of the recording; empty: none
  std::filesystem::path checkpoint = {};  // path of the training's checkpoint; empty: none
  bool resume = false;                    // continue from the checkpoint
  bool embedded = false;                  // see RunOptions::embedded
  bool keep_corrections = false;          // of the result that is replaced
  std::string command = "";               // the command line, for the result
};

// An opened input. Its hash is being computed, or has been (FileHash).
struct OpenedInput {
  std::shared_ptr<const Input> files;
  std::shared_ptr<const FileHash> sha256;
  std::vector<std::string> stamps = {};  // of the files, see app/common/whole_file.h
};

// Opens the input of a request, which reads a pipe to its end. Throws ErrorKind::input.
OpenedInput open_input(const RunRequest& request);

// A recording after reading.
template <class Context>
struct OpenedRecording {
  OpenedInput input;
  Recording<Context> recording;
  SampleRate rate;
  StageTime ingest;
  int checkpoint_requests;  // number of requests before it was read
};

// Both throw Error if the recording cannot be analysed, the configuration does not fit it, or the device fails.
template <class Context>
OpenedRecording<Context> open_recording(Context&, const RunRequest& request, const OpenedInput& input,
                                        const BytesReport& on_bytes = {});
template <class Context>
RunResult analyse(Context&, OpenedRecording<Context> opened, const RunRequest& request, Log& log);

}  // namespace beatscan
