// app/run/sample_rate.h — chooses the sampling rate that a recording is analysed at: the user's, else its own, else
// the model's.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace beatscan {

struct Config;
struct SignalInfo;

// The rates that are known before a recording is opened. The user's is in config.ingest.sample_rate_hz.
struct RateGiven {
  std::string source;                      // who gave the user's rate: "command line" or "configuration"
  std::optional<double> of_model_hz = {};  // the rate of the recording that a saved model was trained on
  bool needed = false;                     // even where the configuration counts in samples
};

struct SampleRate {
  std::optional<double> hz;
  std::string source;   // "command line", "configuration", "header", "time column", "model"; "" where there is none
  std::string warning;  // that the user contradicts the recording, or that the model's rate is taken; else ""
};

// Chooses a recording's rate; `input` names the recording in errors. Throws ErrorKind::usage where a rate is needed and
// not known, and ErrorKind::unanalysable where the recording's own rate does not fit the configuration.
SampleRate sample_rate_of(const SignalInfo& signal, const Config& config, const RateGiven& given,
                          const std::filesystem::path& input);

// Throws ErrorKind::usage, before anything is read, for the first input whose rate is needed and will not be known. It
// looks only at inputs that this neither uses up nor unpacks; sample_rate_of checks the others.
void check_rates(const std::vector<std::filesystem::path>& inputs, const Config& config, const RateGiven& given);

}  // namespace beatscan
