#include "app/pipeline/model_document.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

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

void ModelDocument::check_form(const char* format, int version, const char* what) const {
  const auto found = json.find("format");
  const auto* own = found == json.end() ? nullptr : found->get_ptr<const Json::string_t*>();
  if (!own || *own != format) refuse(std::string("not ") + what);
  if (json.at("version") != version)
    refuse("version " + json.at("version").dump() + " instead of " + std::to_string(version));
}

void parse_model_document(const std::string& text, const std::string& source, const std::string& advice,
                          const std::function<void(const ModelDocument&)>& read) {
  const Json json = Json::parse(text, nullptr, false);
  const ModelDocument document{json, source, advice};
  if (!json.is_object()) document.refuse("not a JSON object");
  try {
    read(document);
  } catch (const Json::exception&) {
    document.refuse("damaged: a part is missing, or of another type");
  }
}

std::string read_model_text(const std::filesystem::path& path, const std::string& advice) {
  return read_whole_file(path, {.most_bytes = 1 << 24, .kind = ErrorKind::usage, .advice = advice.c_str()});
}

}  // namespace beatscan
