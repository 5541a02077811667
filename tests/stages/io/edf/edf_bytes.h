// tests/stages/io/edf/edf_bytes.h — puts EDF and BDF files together byte by byte.
#pragma once

#include <string>
#include <vector>

namespace beatscan {

struct EdfSignal {
  std::string label = "ECG II", unit = "mV", physical_min = "-5", physical_max = "5";
  int digital_min = -32768, digital_max = 32767, samples = 4;  // samples in a data record
};

struct Edf {
  std::vector<EdfSignal> signals = {{}};
  std::string reserved = "", duration = "1";
  std::string records = "";  // as in the header; if empty, the actual number of data records
  bool bdf = false;
  std::string start = "01.02.2010.00.00";  // date and time
};

inline std::string field(std::string text, std::size_t size) {
  text.resize(size, ' ');
  return text;
}

// Returns the bytes of a file. `data` has the digital values, record by record and within it signal by signal.
inline std::string bytes_of(const Edf& edf, const std::vector<int>& data) {
  const auto& signals = edf.signals;
  std::size_t per_record = 0;
  for (const auto& signal : signals) per_record += static_cast<std::size_t>(signal.samples);
  const bool plus = edf.reserved.find('+') != edf.reserved.npos;
  std::string text = edf.bdf ? "\xff"
                               "BIOSEMI"
                             : field("0", 8);
  text += field(plus ? "X X X X" : "patient", 80) + field(plus ? "Startdate X X X X" : "recording", 80) + edf.start;
  text += field(std::to_string(256 * (signals.size() + 1)), 8) + field(edf.reserved, 44);
  text +=
      field(edf.records.empty() ? std::to_string(data.size() / per_record) : edf.records, 8) + field(edf.duration, 8);
  text += field(std::to_string(signals.size()), 4);
  const auto each = [&](std::size_t size, auto&& value) {
    for (const auto& signal : signals) text += field(value(signal), size);
  };
  each(16, [](const EdfSignal& s) { return s.label; });
  each(80, [](const EdfSignal&) { return ""; });
  each(8, [](const EdfSignal& s) { return s.unit; });
  each(8, [](const EdfSignal& s) { return s.physical_min; });
  each(8, [](const EdfSignal& s) { return s.physical_max; });
  each(8, [](const EdfSignal& s) { return std::to_string(s.digital_min); });
  each(8, [](const EdfSignal& s) { return std::to_string(s.digital_max); });
  each(80, [](const EdfSignal&) { return ""; });
  each(8, [](const EdfSignal& s) { return std::to_string(s.samples); });
  each(32, [](const EdfSignal&) { return ""; });
  for (const int value : data)
    for (int byte = 0; byte < (edf.bdf ? 3 : 2); ++byte) text += static_cast<char>(value >> 8 * byte & 0xff);
  return text;
}

}  // namespace beatscan
