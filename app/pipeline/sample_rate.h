// app/pipeline/sample_rate.h — the sampling rate of a recording, and warnings of a wrong rate or unit.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/config/config.h"

namespace beatscan {

struct InputFacts;
struct SignalInfo;

// Checks the unit for the method published. Its model takes samples without scaling and was made for millivolts; the
// method r_peaks divides by the recording's own amplitude.

// Returns a warning if the unit or the range of a recording shows that its samples are not in millivolts; empty if they
// may be, and for method r_peaks.
std::string unit_uncertainty(const InputFacts& input, Method method);

// The rates known before a recording is opened. The user's is in config.ingest.sample_rate_hz.
struct RateGiven {
  std::string source;                      // source of the user's rate: "command line" or "configuration"
  std::optional<double> of_model_hz = {};  // the rate of the recording that a saved model was trained on
  bool needed = false;                     // even where the configuration counts in samples
};

struct SampleRate {
  std::optional<double> hz;
  std::string source;   // "command line", "configuration", "header", "time column", "model"; "" if there is none
  std::string warning;  // the user's rate contradicts the recording, or the model's rate is used; else ""
};

// Chooses a recording's rate; `input` names the recording in errors. Throws ErrorKind::usage if a rate is needed and
// not known, and ErrorKind::unanalysable if the recording's own rate does not fit the configuration.
SampleRate sample_rate_of(const SignalInfo& signal, const Config& config, const RateGiven& given,
                          const std::filesystem::path& input);

// Throws ErrorKind::usage, before anything is read, for the first input whose rate is needed and unknown. Checks only
// inputs that this neither consumes nor decompresses; sample_rate_of checks the others.
void check_rates(const std::vector<std::filesystem::path>& inputs, const Config& config, const RateGiven& given);

}  // namespace beatscan
