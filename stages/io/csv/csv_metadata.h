// stages/io/csv/csv_metadata.h — what lines before the table of a CSV file specify: sampling rate, unit, lead,
// start.
//
// Such a line is a key and a value: "Sample Rate,512 hertz", "# Fs = 360 Hz", "Unit;µV", "Recorded Date: 2026-11-21
// 10:00:00 +0100". A key counts only if it can mean nothing else: "Heart rate", "Mains frequency" and "Filter" specify
// no sampling rate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stages/io/recording/lead.h"
#include "stages/io/recording/start_time.h"

namespace beatscan {

struct CsvMetadata {
  std::optional<double> sample_rate_hz;
  std::int64_t rate_line = 0;  // number of the line that specifies the rate
  std::string unit, lead;      // empty if no line specifies them
  std::optional<StartTime> start;
  std::vector<Lead> channels;         // of lines that list them, a name and a unit each: AcqKnowledge, LabChart
  std::vector<std::string> columns;   // names of all columns, by a line that lists them: OpenSignals
  std::vector<std::string> taken;     // for the user: "line 8 gives the sampling rate: Sample Rate,512 hertz"
  std::vector<std::string> warnings;  // such as two lines that contradict each other
  int known_keys = 0;                 // lines whose key is one that recorders write, whatever their value
  // Returns whether the lines are certain to be metadata.
  bool is_certain() const { return !taken.empty() || known_keys >= 2; }
};

// Adds what a line specifies. A comment's mark at its start is skipped.
void read_metadata_line(std::string_view line, std::int64_t number, CsvMetadata& metadata);

// Returns the sampling rate of a line such as "2.777777 msec/sample" or "1000 samples/second", without a key.
std::optional<double> rate_without_key(std::string_view line);

// Returns the number in a line "2 channels"; 0 for any other.
std::size_t counted_channels(std::string_view line);

// Returns whether the key of a line is one that recorders write before their samples.
bool has_known_key(std::string_view line);

// Returns the sampling rate in Hz that a key and its value specify: "fs" and "360", "Sampling interval" and "2 ms".
std::optional<double> rate_stated_by(std::string_view key, std::string_view value);

// Returns the unit of voltage that a text is, as mV, µV, V or nV; empty for any other text.
std::string voltage_unit(std::string_view text);

// Returns the unit of voltage in the name of a column: "ECG (mV)", "II [uV]", "lead_I_mV"; empty if there is none.
std::string voltage_unit_in_name(const std::string& name);

}  // namespace beatscan
