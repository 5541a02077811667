// app/report/page_template.h — fills a page's template in.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace beatscan {

// A page's script, and its SHA-256 in base64, by which the page's policy knows it: a browser loads nothing and runs no
// other script. So the name of a file or a column cannot become one.
struct PageScript {
  explicit PageScript(std::string script);
  std::string text, hash;
};

// Returns the template with its places, {{name}}, filled in: those of `texts`, {{script}} and its {{script hash}}, and
// {{data}}, which is JSON in parts. Throws std::out_of_range for an unknown place.
std::string filled_page(std::string_view page, const std::map<std::string_view, std::string>& texts,
                        const PageScript& script, const std::vector<std::string>& data);

}  // namespace beatscan
