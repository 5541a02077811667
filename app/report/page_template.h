// app/report/page_template.h — fills a page's template in.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace beatscan {

// Returns the template with its places, {{name}}, filled in: those of `texts`, {{script}} and its {{script hash}}, and
// {{data}}, which is JSON in parts. The hash is that of the page's policy, by which a browser loads nothing and runs no
// other script. So the name of a file or a column cannot become one. Throws std::out_of_range for an unknown place.
std::string filled_page(std::string_view page, std::map<std::string_view, std::string> texts, const std::string& script,
                        const std::vector<std::string>& data);

}  // namespace beatscan
