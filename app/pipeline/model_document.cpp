#include "app/pipeline/model_document.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "app/common/json_text.h"
#include "app/common/sha256.h"
#include "app/common/whole_file.h"

namespace beatscan {
namespace {

// Returns a number as Python writes it: the shortest digits that read back the same, with an exponent if that is below
// -4 or above 15.
std::string python_number(double number) {
  const double size = std::abs(number);
  const bool fixed = size == 0 || (size >= 1e-4 && size < 1e16);
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.begin(), digits.end(), number,
                                 fixed ? std::chars_format::fixed : std::chars_format::scientific);
  const std::string text(digits.begin(), end.ptr);
  return fixed && text.find('.') == std::string::npos ? text + ".0" : text;
}

std::string advice_on(const ModelKind& kind) {
  return std::string("give ") + kind.option + " a file of scripts/" + kind.script +
         ", or nothing for the built-in model";
}

}  // namespace

std::vector<char> from_base64(const std::string& text) {
  std::vector<char> bytes(text.size() / 4 * 3);
  if (text.size() % 4 != 0 || text.empty() || text.size() > (1U << 24)) return {};
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                   reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
  if (size < 0) return {};
  bytes.resize(size - std::min<std::ptrdiff_t>(std::count(text.end() - 2, text.end(), '='), 2));
  return bytes;
}

std::string python_text(const nlohmann::json& json) {
  if (json.is_number_float()) return python_number(json.get<double>());
  if (!json.is_structured()) return json.dump();
  std::string text;
  for (const auto& [key, value] : json.items())
    text += (text.empty() ? "" : ", ") + (json.is_object() ? '"' + key + "\": " : "") + python_text(value);
  return json.is_object() ? '{' + text + '}' : '[' + text + ']';
}

std::string ModelDocument::checked_digest(const nlohmann::json& parts) const {
  auto digest = json.at("sha256").get<std::string>();
  if (sha256_of(python_text(parts)) != digest)
    refuse("damaged: its numbers do not have the digest that the file gives");
  return digest;
}

std::string ModelDocument::checked_digest(std::initializer_list<const char*> parts) const {
  nlohmann::json covered = nlohmann::json::object();  // sorts its keys
  for (const char* part : parts) covered[part] = json.at(part);
  return checked_digest(covered);
}

void parse_model_document(const ModelKind& kind, const std::string& text, const std::string& source,
                          const std::function<void(const ModelDocument&)>& read) {
  const Json json = Json::parse(text, nullptr, false);
  const ModelDocument document{json, source, advice_on(kind)};
  if (!json.is_object()) document.refuse("not a JSON object");
  try {
    if (text_at(json, "format") != kind.format) document.refuse(std::string("not ") + kind.what);
    if (const Json& version = json.at("version"); version != kind.version)
      document.refuse("version " + version.dump() + " instead of " + std::to_string(kind.version));
    read(document);
  } catch (const Json::exception&) {
    document.refuse("damaged: a part is missing, or of another type");
  }
}

std::string read_model_text(const ModelKind& kind, const std::filesystem::path& path) {
  const std::string advice = advice_on(kind);
  return read_whole_file(path, {.most_bytes = 1 << 24, .kind = ErrorKind::usage, .advice = advice.c_str()});
}

}  // namespace beatscan
