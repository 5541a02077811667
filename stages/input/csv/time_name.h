// stages/input/csv/time_name.h — what the name of a column says of times in it.
#pragma once

#include <string>

namespace beatscan {

// Whether the values are times of rows: "time", "Time [s]", "timestamp_utc", "'Elapsed time'", "t", "ms" …
bool tells_time(const std::string& name);

// The unit of plain numbers in it, in seconds: 1e-3 for "time_ms"; 1 where it says nothing.
double time_unit_s(const std::string& name);

}  // namespace beatscan
