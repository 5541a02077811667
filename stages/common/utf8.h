// stages/common/utf8.h — reads text of files whose encoding is unknown.
#pragma once

#include <string>
#include <string_view>

namespace beatscan {

// Returns whether the bytes have the form of UTF-8. Overlong forms and surrogates pass.
inline bool looks_like_utf8(std::string_view text) {
  int more = 0;  // bytes of the present character that are still to come
  for (const unsigned char byte : text) {
    if ((byte & 0xc0) == 0x80 ? --more < 0 : more > 0) return false;
    if (byte >= 0xc0) more = byte >= 0xf8 ? -1 : byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : 1;
    if (more < 0) return false;
  }
  return more == 0;
}

// Returns text in UTF-8. Text in another encoding is read as Latin-1, which many recorders and spreadsheets write: each
// byte of it is a character.
inline std::string in_utf8(std::string text) {
  if (looks_like_utf8(text)) return text;
  std::string converted;
  for (const unsigned char byte : text) {
    if (byte >= 0x80) converted += static_cast<char>(0xc0 | byte >> 6);
    converted += static_cast<char>(byte >= 0x80 ? 0x80 | (byte & 0x3f) : byte);
  }
  return converted;
}

}  // namespace beatscan
