// stages/io/csv/time_name.h — whether a column holds times, and in which unit, judged by its name.
#pragma once

#include <optional>
#include <string>

namespace beatscan {

// Returns whether a column of this name holds the times of rows: "time", "Time [s]", "timestamp_utc", "'Elapsed time'",
// "t" and "ms" are such names.
bool states_time(const std::string& name);

// Returns whether any word of a name is that of a time: "Device_1_Timestamp_Unix_CAL".
bool mentions_time(const std::string& name);

// Returns the unit in seconds of plain numbers in the column: 1e-3 for "time_ms", 1 where the name says nothing.
double time_unit_s(const std::string& name);

// Returns the unit in seconds that a text such as "ms", "[s]" or "'minutes'" is; nothing for any other text.
std::optional<double> time_unit_of(const std::string& unit);

}  // namespace beatscan
