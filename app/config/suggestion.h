// app/config/suggestion.h — suggests an existing key for an unknown one.
#pragma once

#include <string>
#include <vector>

namespace beatscan {

// Returns the end of a message about an unknown key: the nearest key; or the keys of the (perhaps mistyped) section; or
// how to list all keys.
std::string suggestion(const std::string& unknown_key, const std::vector<std::string>& keys);

}  // namespace beatscan
