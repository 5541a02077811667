// app/common/json_text.h — reads JSON from untrusted sources, and writes numbers into it.
#pragma once

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "stages/common/one_line.h"

namespace beatscan {

// Returns the number, or null if there is none.
inline nlohmann::ordered_json or_null(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

// The maximum nesting. A document of a few megabytes of brackets would overflow the stack when it is written or copied.
inline constexpr int kDeepestJson = 64;

// Restrictions beyond JSON's own, which the parser applies to each token: limited nesting, and no key twice in one
// object. Throws std::invalid_argument.
template <class AnyJson>
class JsonRules {
 public:
  bool operator()(int depth, typename AnyJson::parse_event_t event, AnyJson& value) {
    using Event = typename AnyJson::parse_event_t;
    if (depth > kDeepestJson) throw std::invalid_argument("nested more than " + std::to_string(kDeepestJson) + " deep");
    if (event == Event::object_start) keys_.emplace_back();
    if (event == Event::object_end) keys_.pop_back();
    if (event == Event::key) {
      const auto& key = value.template get_ref<const std::string&>();
      if (!keys_.back().insert(key).second)
        throw std::invalid_argument("the key '" + in_one_line(key) + "' occurs twice in one object; keep one of them");
    }
    return true;
  }

 private:
  std::vector<std::set<std::string>> keys_;  // keys so far of each open object
};

// Parses JSON. Throws std::invalid_argument with the error and its position in one line. Refuses a key twice in one
// object, because it is ambiguous, and a number beyond double's range.
template <class AnyJson>
AnyJson parse_json(std::string_view text) {
  JsonRules<AnyJson> rules;
  try {
    return AnyJson::parse(text, std::ref(rules));
  } catch (const typename AnyJson::exception& error) {
    std::string what = error.what();  // "[json.exception.parse_error.101] parse error at line 1 …", of several lines
    what = what.substr(std::min(what.size(), what.find("] ") + 2));
    std::ranges::replace(what, '\n', ' ');
    throw std::invalid_argument(what);
  }
}

// Parses JSON; returns a discarded value if the text is not JSON.
template <class AnyJson>
AnyJson parse_json_if_any(std::string_view text) {
  try {
    return parse_json<AnyJson>(text);
  } catch (const std::invalid_argument&) {
    return AnyJson(AnyJson::value_t::discarded);
  }
}

// Returns the text under a key of an object; "" if there is none. Comparisons call this: `json == "text"` copies the
// text where nothing may be thrown, and so ends the program if memory runs out.
template <class AnyJson>
std::string text_at(const AnyJson& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->template get<std::string>() : "";
}

}  // namespace beatscan
