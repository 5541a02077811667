#include "app/report/drawing/html.h"

#include <utility>

#include "stages/common/one_line.h"

namespace beatscan {

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : without_directions(std::string(text))) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += static_cast<unsigned char>(c) < ' ' && c != '\n' ? ' ' : c;
    }
  return out;
}

std::string script_safe(std::string json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : without_directions(std::move(json))) c == '<' ? void(out += "\\u003c") : out.push_back(c);
  return out;
}

std::string base64(std::string_view bytes) {
  static constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out((bytes.size() + 2) / 3 * 4, '=');
  const auto byte = [&](std::size_t i) { return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0u; };
  for (std::size_t i = 0, o = 0; i < bytes.size(); i += 3, o += 4) {
    const unsigned bits = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    out[o] = kLetters[bits >> 18];
    out[o + 1] = kLetters[bits >> 12 & 63];
    if (i + 1 < bytes.size()) out[o + 2] = kLetters[bits >> 6 & 63];
    if (i + 2 < bytes.size()) out[o + 3] = kLetters[bits & 63];
  }
  return out;
}

}  // namespace beatscan
