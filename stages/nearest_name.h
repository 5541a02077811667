// stages/nearest_name.h — what somebody may have meant who wrote a name that does not exist.
#pragma once

#include <string>
#include <vector>

namespace beatscan {

// The candidate closest to `word` by edit distance; empty where none is near.
std::string nearest_name(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace beatscan
