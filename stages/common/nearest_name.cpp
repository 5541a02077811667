#include "stages/common/nearest_name.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace beatscan {

namespace {

// Returns the number of insertions, deletions, substitutions and exchanges of neighbours between two words (optimal
// string alignment), by rows of the table of the distances between their beginnings.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> two_before, before(b.size() + 1), row(b.size() + 1);
  std::iota(before.begin(), before.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({before[j] + 1, row[j - 1] + 1, before[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], two_before[j - 2] + 1);
    }
    two_before = std::exchange(before, row);
  }
  return before.back();
}

}  // namespace

std::string nearest_name(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(word.size() / 2, 2);
  for (const auto& candidate : candidates)
    if (const std::size_t distance = edit_distance(word, candidate); distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  return best;
}

std::string listed_names(const std::vector<std::string>& names) {
  std::string list;
  for (std::size_t i = 0; i < names.size() && i < 8; ++i)
    list += (i ? ", '" : "'") + names[i].substr(0, 40) + (names[i].size() > 40 ? "…'" : "'");
  return list + (names.size() > 8 ? ", …" : "");
}

}  // namespace beatscan
