#include "app/report/page_template.h"

#include <utility>

#include "app/common/sha256.h"
#include "app/report/drawing/html.h"

namespace beatscan {
namespace {

std::string bytes_of_hex(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(digit(hex[i]) << 4 | digit(hex[i + 1]));
  return bytes;
}

}  // namespace

PageScript::PageScript(std::string script) : text(std::move(script)), hash(base64(bytes_of_hex(sha256_of(text)))) {}

std::string filled_page(std::string_view page, const std::map<std::string_view, std::string>& texts,
                        const PageScript& script, const std::vector<std::string>& data) {
  const auto text_at = [&](std::string_view name) -> std::string_view {
    return name == "script" ? script.text : name == "script hash" ? script.hash : texts.at(name);
  };
  std::size_t size = page.size() + script.text.size() + script.hash.size();
  for (const auto& [name, text] : texts) size += 2 * text.size();  // a place may stand twice
  for (const auto& part : data) size += part.size();
  std::string filled;
  filled.reserve(size);
  for (auto at = page.find("{{"); at != page.npos; at = page.find("{{")) {
    const auto end = page.find("}}", at);
    filled += page.substr(0, at);
    if (const auto name = page.substr(at + 2, end - at - 2); name != "data")
      filled += text_at(name);
    else
      for (const auto& part : data) filled += part;
    page.remove_prefix(end + 2);
  }
  return filled.append(page);
}

}  // namespace beatscan
