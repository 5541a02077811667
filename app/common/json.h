// app/common/json.h — the type of JSON documents, declared without the library's large header, and their text.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace beatscan {

using Json = nlohmann::ordered_json;

// Returns JSON as text. Bytes that are not UTF-8 are replaced: names of files and columns may hold any bytes.
std::string text_of(const Json& document, int indent = 2);

// Replaces bytes that are not UTF-8 by U+FFFD, as summary.json does. Names of files may hold any bytes.
std::string as_utf8(const std::string& text);

}  // namespace beatscan
