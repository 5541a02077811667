// stages/common/number_text.h — numbers as text. What std::snprintf writes depends on the locale of the program, which
// is another one's where the analysis is embedded: in Germany it writes 1,5. These write a point everywhere.
#pragma once

#include <charconv>
#include <string>

namespace beatscan {

// Returns a number with so many digits at most, as "%.7g" does in the locale "C".
inline std::string number_text(double value, int digits) {
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::general, digits).ptr};
}

}  // namespace beatscan
