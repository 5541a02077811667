#include "app/common/json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace beatscan {

std::string text_of(const Json& document, int indent) {
  return document.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string as_utf8(const std::string& text) {
  using Json = nlohmann::json;
  if (std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; })) return text;
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
}

}  // namespace beatscan
