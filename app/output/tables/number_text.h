// app/output/tables/number_text.h — numbers as text in tables.
#pragma once

#include <cstddef>
#include <cstdint>

namespace beatscan {

inline constexpr std::size_t kLongestNumber = 31;  // bytes that any of these texts fits in

// Each function writes a number at `at`, where kLongestNumber bytes are free, and returns the end of its text.

// Writes the shortest text that reads back the same, as std::to_chars does.
char* write_number(std::int64_t value, char* at);
char* write_number(float value, char* at);
char* write_number(double value, char* at);

// Writes seconds with six decimals.
char* write_microseconds(std::int64_t value, char* at);

}  // namespace beatscan
