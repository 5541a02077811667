#include "app/run/model_document.h"

#include <openssl/evp.h>

#include <algorithm>

#include "app/files/whole_file.h"

namespace beatscan {

std::vector<char> from_base64(const std::string& text) {
  std::vector<char> bytes(text.size() / 4 * 3);
  if (text.size() % 4 != 0 || text.empty() || text.size() > (1U << 24)) return {};
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                   reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
  if (size < 0) return {};
  bytes.resize(size - std::min<std::ptrdiff_t>(std::count(text.end() - 2, text.end(), '='), 2));
  return bytes;
}

void ModelDocument::check_form(const char* format, int version, const char* what) const {
  if (json.at("format") != format) refuse(std::string("not ") + what);
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
  } catch (const Json::exception& error) {  // a part is missing, or of another type
    document.refuse(std::string("not a model: ") + error.what());
  }
}

std::string read_model_text(const std::filesystem::path& path, const std::string& advice) {
  return read_whole_file(path, {.most_bytes = 1 << 24, .kind = ErrorKind::usage, .advice = advice.c_str()});
}

}  // namespace beatscan
