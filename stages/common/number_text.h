// stages/common/number_text.h — numbers as text. What std::snprintf writes depends on the locale of the program in
// which the analysis is embedded: in a German one it writes 1,5. The functions here always write a point.
#pragma once

#include <charconv>
#include <string>

namespace beatscan {

// Returns a number with at most `digits` digits, as "%.7g" does in the locale "C".
inline std::string number_text(double value, int digits) {
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::general, digits).ptr};
}

}  // namespace beatscan
