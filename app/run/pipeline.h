// app/run/pipeline.h — one recording's way through all stages, on one device.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/config/config.h"
#include "app/result/record_name.h"
#include "app/result/run_result.h"
#include "app/run/pages.h"
#include "app/run/sample_rate.h"
#include "app/tables/table.h"
#include "stages/recording/recording.h"

namespace beatscan {

class FileHash;
class Log;
struct Input;
struct Models;

// A saved model that is used instead of training one.
struct ModelToUse {
  std::filesystem::path path;
  std::vector<NamedArray> parameters;
  std::optional<UsualSpread> usual = {};  // of the beats that it was trained on; nothing: not known
};

// The request for one recording: its path and how to analyse it. It is a value, which any thread may keep.
struct RunRequest {
  std::filesystem::path input;
  std::string name = record_name(input);  // that the result bears
  Config config;
  RateGiven rate;
  std::shared_ptr<const ModelToUse> model = nullptr;  // nothing: a model is trained
  std::shared_ptr<const Models> models = nullptr;     // nothing: those that the configuration names are read
  bool save_arrays = false;
  Pages report = Pages::all;
  TableForm beats = TableForm::csv;
  std::filesystem::path truth = {};       // reference annotations to compare with; empty: none
  std::filesystem::path checkpoint = {};  // where the training is kept; empty: nowhere
  bool resume = false;                    // go on from the checkpoint
  bool embedded = false;                  // see RunOptions::embedded
  std::string command = "";               // the command line, for the result
};

// An input that has been opened. Its hash is being computed, or was (FileHash).
struct OpenedInput {
  std::shared_ptr<const Input> files;
  std::shared_ptr<const FileHash> sha256;
  std::vector<std::string> stamps = {};  // of the files, see app/files/stamp.h
};

// Opens the input of a request, which reads a pipe to its end. Throws ErrorKind::input.
OpenedInput open_input(const RunRequest& request);

// A recording that has been read.
template <class Context>
struct OpenedRecording {
  OpenedInput input;
  Recording<Context> recording;
  SampleRate rate;
  StageTime ingest;
  int checkpoint_requests;  // that had come before it was read
};

// Both throw Error where the recording cannot be analysed, the configuration does not fit it, or the device fails.
template <class Context>
OpenedRecording<Context> open_recording(Context&, const RunRequest& request, const OpenedInput& input,
                                        const BytesReport& on_bytes = {});
template <class Context>
RunResult analyse(Context&, OpenedRecording<Context> opened, const RunRequest& request, Log& log);

}  // namespace beatscan
