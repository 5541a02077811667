// app/config/suggestion.h — suggests what the user may have meant by a key that the configuration does not have.
#pragma once

#include <string>
#include <vector>

namespace beatscan {

// Returns the end of a message about an unknown key. It names the nearest key; or the keys of the section that the key
// begins with, perhaps mistyped; or how to list all keys.
std::string suggestion(const std::string& unknown_key, const std::vector<std::string>& keys);

}  // namespace beatscan
