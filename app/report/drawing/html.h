// app/report/drawing/html.h — makes texts safe to stand in an HTML page.
#pragma once

#include <string>
#include <string_view>

namespace beatscan {

// Escapes a text that may come from outside, such as a file's name. The result may stand in an element or in a quoted
// attribute. Characters that change the direction of text are named, as in [U+202E]. Bytes that are not UTF-8 are
// replaced.
std::string escaped(std::string_view text);

// Escapes every "<" of a JSON text, so that it cannot end the <script> element that it stands in. Names characters that
// change the direction of text, as escaped() does.
std::string script_safe(std::string json);

// Returns at most 2 GB of bytes in base64.
std::string base64(std::string_view bytes);

}  // namespace beatscan
