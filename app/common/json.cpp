#include "app/common/json.h"

#include <nlohmann/json.hpp>

namespace beatscan {

std::string text_of(const Json& document, int indent) {
  return document.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace beatscan
