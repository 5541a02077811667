// app/common/utf8_text.h — text as valid UTF-8.
#pragma once

#include <string>

namespace beatscan {

// Replaces bytes that are not UTF-8 by U+FFFD, as summary.json does. Names of files may hold any bytes.
std::string as_utf8(const std::string& text);

}  // namespace beatscan
