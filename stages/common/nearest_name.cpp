#include "stages/common/nearest_name.h"

#include <algorithm>
#include <numeric>

namespace beatscan {

std::string nearest_name(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(word.size() / 2, 2);
  for (const auto& candidate : candidates) {
    std::vector<std::size_t> row(candidate.size() + 1);  // one row of the table of Levenshtein distances
    std::iota(row.begin(), row.end(), 0);
    for (std::size_t i = 0; i < word.size(); ++i) {
      std::size_t diagonal = row[0]++;
      for (std::size_t j = 0; j < candidate.size(); ++j) {
        const std::size_t substituted = diagonal + (word[i] != candidate[j]);
        diagonal = row[j + 1];
        row[j + 1] = std::min({row[j + 1] + 1, row[j] + 1, substituted});
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = candidate;
    }
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
