// stages/common/counted.h — a number of things as text: "1 byte", "12 bytes".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace beatscan {

// Returns the word for one thing or for many, such as by_count(n, "is", "are"). The plural of a noun ends in s unless
// it is given.
inline std::string by_count(std::int64_t count, std::string_view one, std::string_view many = {}) {
  if (count == 1) return std::string(one);
  return many.empty() ? std::string(one) + "s" : std::string(many);
}

// Returns the number and the word for it. app/common/numbers.h has the same with grouped digits.
inline std::string counted(std::int64_t count, std::string_view one, std::string_view many = {}) {
  return std::to_string(count) + " " + by_count(count, one, many);
}

}  // namespace beatscan
