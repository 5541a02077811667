// app/run/sample_rate.h — which sampling rate a recording is analysed at: the user's, else its own, else that of the
// model.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/config/config.h"

namespace beatscan {

// What is known of the rate before a recording is opened. The user's is in config.ingest.sample_rate_hz.
struct RateGiven {
  std::string source = "";                 // of the user's: "command line" or "configuration"
  std::optional<double> of_model_hz = {};  // the rate of the recording that a saved model was trained on
  bool needed = false;                     // whatever the configuration counts in
};

struct SampleRate {
  std::optional<double> hz;
  std::string source;   // "command line", "configuration", "header", "time column", "model"; "" where there is none
  std::string warning;  // where the user contradicts the recording; "" where not
};

// Throws ErrorKind::usage where a rate is needed and nobody tells it, ErrorKind::unanalysable where the recording's own
// does not go with the configuration. `input` names the recording in errors.
SampleRate sample_rate_of(const SignalInfo& signal, const Config& config, const RateGiven& given,
                          const std::filesystem::path& input);

// The same before anything is read, as far as a first look at the inputs tells it: ErrorKind::usage naming the first
// one whose rate nobody will tell. Inputs that cannot be looked at without being used up or unpacked are left to later.
void check_rates(const std::vector<std::filesystem::path>& inputs, const Config& config, const RateGiven& given);

}  // namespace beatscan
