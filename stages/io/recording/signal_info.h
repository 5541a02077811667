// stages/io/recording/signal_info.h — what a file specifies of its signal, and its bad rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stages/io/recording/lead.h"
#include "stages/io/recording/missing_codes.h"
#include "stages/io/recording/start_time.h"

namespace beatscan {

// The origin of the sampling rate.
enum class RateOrigin {
  none,
  header,
  metadata,  // a line before the table of a CSV file, or a variable of a MATLAB file
  time_column
};

inline const char* name_of(RateOrigin origin) {
  return origin == RateOrigin::header        ? "header"
         : origin == RateOrigin::metadata    ? "metadata"
         : origin == RateOrigin::time_column ? "time column"
                                             : "";
}

// The layout of a CSV file.
struct CsvStyle {
  char delimiter;
  bool has_header;
  char decimal = '.';                           // decimal separator
  std::int64_t skipped_lines = 0;               // lines before the table
  std::optional<std::string> time_column = {};  // name of the column with the times; nothing if there is none
};

// A text with a time that a file has besides its samples.
struct FileEvent {
  double time_s = 0, duration_s = 0;
  std::string text;
};

// The leads that are read, as their file describes them.
struct SignalInfo {
  std::string format = "CSV";
  std::vector<std::string> names = {};  // all columns or leads of the file
  std::vector<Lead> leads = {};         // those that are read; a unit is empty if it is not known
  std::string name = {};                // name and unit of the first of them
  std::string unit = {};
  std::optional<double> sample_rate_hz = {};    // nothing if the file does not specify it
  RateOrigin rate_origin = RateOrigin::none;    // origin of sample_rate_hz
  std::int64_t samples_per_frame = 1;           // the annotations of a WFDB record count frames
  std::optional<StartTime> start = {};          // nothing if the file does not specify it
  std::string no_rate_because = {};             // why the file specifies no rate, as text for the user
  std::optional<CsvStyle> csv = {};             // CSV files only
  std::optional<std::string> time_column = {};  // column with the times, of another file that has columns
  std::vector<FileEvent> events = {};           // annotations of EDF+
  std::vector<std::string> metadata = {};  // what was taken from lines or variables besides the samples, for the user
  MissingCode missing_code = {};           // what else than NaN is missing
  std::vector<std::string> warnings = {};  // what the user should know about the file, one line each
};

// Puts the leads that are read into `signal`; at least one.
inline void set_leads(SignalInfo& signal, std::vector<Lead> leads) {
  signal.leads = std::move(leads);
  signal.name = signal.leads.front().name;
  signal.unit = signal.leads.front().unit;
}

inline constexpr int kNamedBadRows = 8;  // more are counted only

struct BadRow {
  std::int64_t line, byte;  // the file's first line is 1, and its first byte 0
  std::string what;
};

struct BadRows {
  std::int64_t count = 0;
  std::vector<BadRow> first;  // the first kNamedBadRows in the file's order
};

}  // namespace beatscan
