// app/common/numbers.h — numbers as text for readers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace beatscan {

std::string fixed(double value, int decimals);             // 12.30
std::string significant(double value, int digits);         // 0.0123, 1.2e-7
std::string exact(double value);                           // the shortest text that reads back the same
std::string grouped(std::int64_t value);                   // 115,252
std::string percent(double share);                         // 3.1 %; 0.02 %; 0 %
std::string clock_time(double seconds, int decimals = 0);  // 2:05:09.5 or 5:09.5
std::string hours_minutes(double seconds);                 // 2:05
std::string signed_text(std::string number);               // with − instead of -
std::string duration(double seconds);                      // 22 h 13 min, 30 min 6 s
std::string megabytes(double bytes);                       // 4.5 MB

// Returns a number with its noun, like counted() of stages/common/counted.h: 115,252 beats; 1 beat.
std::string grouped(std::int64_t count, std::string_view one, std::string_view many = {});

// Returns a position on the time axis of a result: a clock time, or the sample number if the rate is unknown.
std::string position_text(double position, bool rate_known, int decimals = 0);

}  // namespace beatscan
