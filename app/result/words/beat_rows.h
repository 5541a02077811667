// app/result/words/beat_rows.h — beats that follow one another and have something in common.
#pragma once

#include <cstdint>
#include <iterator>
#include <vector>

#include "stages/beats/beat_list.h"

namespace beatscan {

// The beats [first, last) in a row.
struct BeatRow {
  std::int64_t first = 0, last = 0;
  std::int64_t beats() const { return last - first; }
};

// Returns the rows of beats that belong together, without a broken interval among them.
//   belongs  says whether a beat does
template <class Belongs>
std::vector<BeatRow> rows_of(const BeatList& found, const Belongs& belongs) {
  std::vector<BeatRow> runs;
  for (std::int64_t i = 0; i < std::ssize(found.r_peaks); ++i) {
    if (!belongs(i)) continue;
    const bool goes_on = !runs.empty() && runs.back().last == i && !found.broken[i - 1];
    goes_on ? void(++runs.back().last) : runs.push_back({i, i + 1});
  }
  return runs;
}

}  // namespace beatscan
