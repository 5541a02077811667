// stages/one_line.h — words of unknown origin as part of a message.
#pragma once

#include <algorithm>
#include <string>

namespace beatscan {

// Names of files, columns and keys may hold any bytes: control characters become '?', so that a message stays one line.
inline std::string in_one_line(std::string text) {
  const auto is_control = [](unsigned char c) { return c < ' ' || c == 127; };
  std::ranges::replace_if(text, is_control, '?');
  return text;
}

}  // namespace beatscan
