#include "app/report/drawing/html.h"

#include <array>
#include <cstring>
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

namespace {

constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// The two letters of each 12 bits.
constexpr auto kPairs = [] {
  std::array<std::array<char, 2>, 1 << 12> pairs{};
  for (std::size_t bits = 0; bits < pairs.size(); ++bits) pairs[bits] = {kLetters[bits >> 6], kLetters[bits & 63]};
  return pairs;
}();

}  // namespace

std::string base64(std::string_view bytes) {
  std::string out((bytes.size() + 2) / 3 * 4, '=');
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  char* to = out.data();
  std::size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3, to += 4) {
    const unsigned bits = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    std::memcpy(to, kPairs[bits >> 12].data(), 2);
    std::memcpy(to + 2, kPairs[bits & 0xfff].data(), 2);
  }
  if (i == bytes.size()) return out;
  const unsigned bits = byte(i) << 16 | (i + 1 < bytes.size() ? byte(i + 1) << 8 : 0);
  std::memcpy(to, kPairs[bits >> 12].data(), 2);
  if (i + 1 < bytes.size()) to[2] = kLetters[bits >> 6 & 63];
  return out;
}

}  // namespace beatscan
