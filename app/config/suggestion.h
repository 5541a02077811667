// app/config/suggestion.h — what somebody may have meant by a key that the configuration does not have.
#pragma once

#include <string>
#include <vector>

namespace beatscan {

// The end of a message about an unknown key. It names the nearest key; or the keys of the section that the key, or one
// with a small mistake, begins with; or how to list all keys.
std::string suggestion(const std::string& unknown_key, const std::vector<std::string>& keys);

}  // namespace beatscan
