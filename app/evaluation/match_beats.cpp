#include "app/evaluation/match_beats.h"

#include <algorithm>
#include <cmath>

#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

// The quality of a partial matching: more pairs are better; with equally many pairs, less total distance is better.
struct Merit {
  std::int64_t pairs = 0, distance = 0;
  bool operator==(const Merit&) const = default;
  bool operator<(const Merit& other) const {
    return pairs != other.pairs ? pairs < other.pairs : distance > other.distance;
  }
};

// One reference beat's row of the dynamic programme: for j = first .. last, the merit of the best matching of the
// reference beats up to this one with the first j detected beats. The detected beats [first, last) are within this
// beat's tolerance.
struct MatchRow {
  std::size_t first = 0, last = 0;
  std::size_t offset = 0;  // index in the table of the merit for j = first
};

// The merits of all rows. Left of a row's band this beat cannot be matched, and right of it nothing more is gained. So
// the bands suffice; together they have as many entries as there are possible pairs.
class MatchTable {
 public:
  MatchTable(std::span<const std::int64_t> reference, std::span<const std::int64_t> detected, std::int64_t tolerance) {
    rows_.push_back({0, 0, 0});  // no reference beats: no matches
    merits_.push_back({});
    std::size_t first = 0, last = 0;
    for (const auto sample : reference) {
      while (first < detected.size() && detected[first] < sample - tolerance) ++first;
      while (last < detected.size() && detected[last] <= sample + tolerance) ++last;
      rows_.push_back({first, last, merits_.size()});
      const std::size_t row = rows_.size() - 1;
      merits_.push_back(at(row - 1, first));
      for (std::size_t j = first + 1; j <= last; ++j) {
        const Merit pair = with_pair(row, j, std::abs(detected[j - 1] - sample));
        merits_.push_back(std::max({at(row - 1, j), merits_.back(), pair}));
      }
    }
  }

  // The merit of matching the first `row` reference beats with the first j detected beats. j is at least the row's
  // first.
  Merit at(std::size_t row, std::size_t j) const {
    const auto& [first, last, offset] = rows_[row];
    return merits_[offset + std::min(j, last) - first];
  }

  // The merit if reference beat `row` is matched to detected beat j, at this distance.
  Merit with_pair(std::size_t row, std::size_t j, std::int64_t distance) const {
    const Merit before = at(row - 1, j - 1);
    return {before.pairs + 1, before.distance + distance};
  }

  const MatchRow& row(std::size_t row) const { return rows_[row]; }

 private:
  std::vector<MatchRow> rows_;
  std::vector<Merit> merits_;
};

}  // namespace

std::vector<std::optional<std::size_t>> match_beats(std::span<const std::int64_t> reference,
                                                    std::span<const std::int64_t> detected,
                                                    std::int64_t tolerance_samples) {
  BEATSCAN_EXPECTS(tolerance_samples >= 0, "match_beats: negative tolerance");
  BEATSCAN_EXPECTS(
      std::is_sorted(reference.begin(), reference.end()) && std::is_sorted(detected.begin(), detected.end()),
      "match_beats: beats are not in time order");
  const MatchTable table(reference, detected, tolerance_samples);
  std::vector<std::optional<std::size_t>> match(reference.size());
  std::size_t j = detected.size();
  for (std::size_t row = reference.size(); row > 0; --row) {
    const auto [first, last, offset] = table.row(row);
    // Finds the fewest detected beats that reach this row's merit: the last of them is the matched one.
    std::size_t reach = std::min(j, last);
    while (reach > first && table.at(row, reach) == table.at(row, reach - 1)) --reach;
    if (reach > first && table.at(row, reach) != table.at(row - 1, reach)) {
      match[row - 1] = reach - 1;
      --reach;
    }
    j = reach;
  }
  return match;
}

}  // namespace beatscan
