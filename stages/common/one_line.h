// stages/common/one_line.h — makes text from outside the program fit to be part of a message.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

namespace beatscan {

// Names the characters that change the direction of the text after them, as in [U+202E], so that a name is read as it
// is written: U+202A to U+202E, and U+2066 to U+2069.
inline std::string without_directions(std::string text) {
  for (std::size_t at = 0; (at = text.find("\xe2\x80", at)) != text.npos; at += 2) {
    const unsigned char last = at + 2 < text.size() ? static_cast<unsigned char>(text[at + 2]) : 0;
    if (last >= 0xaa && last <= 0xae) text.replace(at, 3, std::string("[U+202") + "ABCDE"[last - 0xaa] + "]");
  }
  for (std::size_t at = 0; (at = text.find("\xe2\x81", at)) != text.npos; at += 2) {
    const unsigned char last = at + 2 < text.size() ? static_cast<unsigned char>(text[at + 2]) : 0;
    if (last >= 0xa6 && last <= 0xa9) text.replace(at, 3, std::string("[U+206") + "6789"[last - 0xa6] + "]");
  }
  return text;
}

// Replaces control characters and line separators by '?', so that a message stays one line. Names of files, columns
// and keys may hold any bytes. Beyond ASCII these are replaced in UTF-8: U+0080 to U+009F, U+2028 and U+2029.
// Characters that change the direction of text are named.
inline std::string in_one_line(std::string text) {
  const auto is_control = [](unsigned char c) { return c < ' ' || c == 127; };
  std::ranges::replace_if(text, is_control, '?');
  for (std::size_t at = 0; (at = text.find('\xc2', at)) != text.npos; ++at)
    if (at + 1 < text.size() && (text[at + 1] & 0xe0) == 0x80) text.replace(at, 2, "?");
  for (const char* separator : {"\u2028", "\u2029"})
    for (std::size_t at = 0; (at = text.find(separator, at)) != text.npos; ++at) text.replace(at, 3, "?");
  return without_directions(std::move(text));
}

}  // namespace beatscan
