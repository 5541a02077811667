// stages/common/nearest_name.h — names in messages: a list of the valid ones, and the one that the user may have meant.
#pragma once

#include <string>
#include <vector>

namespace beatscan {

// Returns the candidate closest to `word` by edit distance. Returns an empty string if none is nearer than half the
// length of `word`, or than 2 for a word of fewer than 4 bytes.
std::string nearest_name(const std::string& word, const std::vector<std::string>& candidates);

// Returns the first eight names in quotes, each cut to 40 bytes: "'I', 'II', …".
std::string listed_names(const std::vector<std::string>& names);

}  // namespace beatscan
