// stages/common/one_line.h — makes text from outside the program fit to be part of a message.
#pragma once

#include <algorithm>
#include <string>

namespace beatscan {

// Replaces control characters and line separators by '?', so that a message stays one line. Names of files, columns
// and keys may hold any bytes. Beyond ASCII these are replaced in UTF-8: U+0080 to U+009F, U+2028 and U+2029.
inline std::string in_one_line(std::string text) {
  const auto is_control = [](unsigned char c) { return c < ' ' || c == 127; };
  std::ranges::replace_if(text, is_control, '?');
  for (std::size_t at = 0; (at = text.find('\xc2', at)) != text.npos; ++at)
    if (at + 1 < text.size() && (text[at + 1] & 0xe0) == 0x80) text.replace(at, 2, "?");
  for (const char* separator : {"\u2028", "\u2029"})
    for (std::size_t at = 0; (at = text.find(separator, at)) != text.npos; ++at) text.replace(at, 3, "?");
  return text;
}

}  // namespace beatscan
