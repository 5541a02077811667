// app/cohort/listed_recording.h — a recording as the command line or a list names it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace beatscan {

struct ListedRecording {
  std::filesystem::path input;
  std::optional<double> sample_rate_hz = {};  // of this recording alone
  std::filesystem::path truth = {};           // reference annotations; empty: none are named
  std::string name = "";                      // of the result's folder; empty: that of the input
  std::int64_t line = 0;                      // in the list, from 1; 0: it is named on the command line
};

}  // namespace beatscan
