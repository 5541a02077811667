// app/output/advisory.h — one advisory: a line that the reader of a result must know.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace beatscan {

enum class Severity { info, caution, serious };

struct Advisory {
  std::string id;  // "BS130"
  Severity severity = Severity::info;
  std::string message;                   // one line
  std::optional<double> time_s = {};     // from the recording's start
  std::optional<std::size_t> lead = {};  // index in the recording
};

}  // namespace beatscan
