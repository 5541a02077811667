// tests/support/page_data.h — the data of a page that the program made.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "app/common/json.h"

namespace beatscan {

// Returns the JSON document of a page, which stands in a script element.
inline Json page_data_of(const std::string& page) {
  const auto begin = page.find("id=\"data\">") + 10;
  return Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

}  // namespace beatscan
