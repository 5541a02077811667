// stages/common/nearest_name.h — names in messages: those that there are, and what somebody may have meant.
#pragma once

#include <string>
#include <vector>

namespace beatscan {

// The candidate closest to `word` by edit distance; empty where none is near.
std::string nearest_name(const std::string& word, const std::vector<std::string>& candidates);

// The first names, in quotes.
std::string listed_names(const std::vector<std::string>& names);

}  // namespace beatscan
