// stages/io/csv/ingest_options.h — options of reading a recording.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stages/io/recording/lead.h"
#include "stages/io/recording/missing_codes.h"

namespace beatscan {

// The treatment of a bad row of a CSV file: text in place of a number or a time, too few cells, a quote left open.
enum class OnBad {
  error,  // the file is refused
  nan,    // what is bad in the row is missing: its sample, or its time
  skip    // the row is left out, and samples count the other rows
};

// Options of reading an input. `column`, `leads`, `first_lead_alone` and `sample_rate_hz` serve all formats.
struct IngestOptions {
  WantedLead column;                     // CSV: see CsvOptions; other formats: the lead that is read alone
  std::vector<WantedLead> leads = {};    // without `column`: the leads; empty: all that are ECG by name
  bool first_lead_alone = false;         // of these only the first; no key of the configuration
  WantedLead time_column;                // see CsvOptions
  std::string delimiter;                 // see CsvOptions
  std::optional<double> sample_rate_hz;  // the rate that the user gives; nothing to use that of the recording
  std::int64_t chunk_bytes = 4 << 20;    // text read, copied and parsed at a time; a line may be half as long
  OnBad on_bad = OnBad::error;
  std::string decimal = {};                     // see CsvOptions
  std::optional<std::int64_t> skip_lines = {};  // see CsvOptions
  MissingCode missing = {};                     // values that stand for missing samples
  std::string variable = {};                    // MATLAB files: the array that is read; if empty, it is found
};

}  // namespace beatscan
