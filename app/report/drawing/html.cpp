#include "app/report/drawing/html.h"

#include <openssl/evp.h>

#include <utility>

#include "app/common/json.h"
#include "stages/common/one_line.h"

namespace beatscan {

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : without_directions(as_utf8(std::string(text)))) switch (c) {
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
  std::string out((bytes.size() + 2) / 3 * 4, '\0');  // EVP_EncodeBlock writes the terminating 0, too
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()), reinterpret_cast<const unsigned char*>(bytes.data()),
                  static_cast<int>(bytes.size()));
  return out;
}

}  // namespace beatscan
