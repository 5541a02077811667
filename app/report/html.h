// app/report/html.h — text inside an HTML page.
#pragma once

#include <string>
#include <string_view>

namespace beatscan {

// Text from outside (names of files and columns, warnings) for element content and quoted attributes alike.
std::string escaped(std::string_view text);

// JSON for a <script> element: no "<" is left that could end it.
std::string script_safe(std::string json);

std::string base64(std::string_view bytes);

}  // namespace beatscan
