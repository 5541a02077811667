// app/json_text.h — JSON that somebody else wrote.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

namespace beatscan {

// Deeper, a few megabytes of brackets would take more stack than there is wherever a document is written or copied.
inline constexpr int kDeepestJson = 64;

// Throws std::invalid_argument saying why it is none, and where.
template <class AnyJson>
AnyJson parse_json(std::string_view text) {
  const auto not_too_deep = [](int depth, typename AnyJson::parse_event_t, AnyJson&) {
    if (depth > kDeepestJson) throw std::invalid_argument("nested more than " + std::to_string(kDeepestJson) + " deep");
    return true;
  };
  try {
    return AnyJson::parse(text, not_too_deep);
  } catch (const typename AnyJson::parse_error& error) {
    std::string what = error.what();  // "[json.exception.parse_error.101] parse error at line 1 …", of several lines
    what = what.substr(std::min(what.size(), what.find("] ") + 2));
    std::ranges::replace(what, '\n', ' ');
    throw std::invalid_argument(what);
  }
}

// Nothing (a discarded value) where it is none.
template <class AnyJson>
AnyJson parse_json_if_any(std::string_view text) {
  try {
    return parse_json<AnyJson>(text);
  } catch (const std::invalid_argument&) {
    return AnyJson(AnyJson::value_t::discarded);
  }
}

}  // namespace beatscan
