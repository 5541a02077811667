// app/batch/listed_recording.h — a recording as given on the command line or in a list.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace beatscan {

struct ListedRecording {
  std::filesystem::path input;
  std::optional<double> sample_rate_hz = {};  // of this recording alone
  std::filesystem::path truth = {};           // reference annotations; empty: none
  std::string name = "";                      // of the result's folder; empty: derived from the input
  std::int64_t line = 0;                      // in the list, from 1; 0: given on the command line
};

}  // namespace beatscan
