// stages/io/csv/opensignals.h — the header of text files of OpenSignals (BITalino, biosignalsplux): a comment that is a
// JSON object with sampling rate, names of columns and sensors of each device.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace beatscan {

struct OpenSignalsHeader {
  double sample_rate_hz = 0;         // 0 if it is absent
  std::vector<std::string> columns;  // names of all columns: of a channel its sensor, or its own if that is RAW
  std::string start;                 // date and time; empty if they are absent
};

// Reads the header from a comment without its mark; nothing if it is none.
std::optional<OpenSignalsHeader> opensignals_header(std::string_view comment);

}  // namespace beatscan
