// app/text/json_text.h — JSON that somebody else wrote.
#pragma once

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "stages/common/one_line.h"

namespace beatscan {

// Deeper, a few megabytes of brackets would take more stack than there is wherever a document is written or copied.
inline constexpr int kDeepestJson = 64;

// What a parser asks of each thing that it meets, beyond JSON's own rules.
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
        throw std::invalid_argument("the key '" + in_one_line(key) + "' stands twice in one object; keep one of them");
    }
    return true;
  }

 private:
  std::vector<std::set<std::string>> keys_;  // so far, of the objects that are open
};

// Throws std::invalid_argument saying, in one line, why it is none, and where. A key twice in one object is refused
// (which of the two is meant?), and so is a number beyond double's range.
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
