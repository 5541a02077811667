#include "app/result/shown_beats.h"

#include <algorithm>

#include "app/result/run_result.h"

namespace beatscan {
namespace {

// Returns those of the rows that have the highest scores, in falling order; of equal ones the earlier first.
std::vector<std::int64_t> highest(const std::vector<float>& scores, std::vector<std::int64_t> rows, std::int64_t most) {
  const auto end = rows.begin() + std::min(most, std::ssize(rows));
  std::partial_sort(rows.begin(), end, rows.end(), [&](std::int64_t a, std::int64_t b) {
    return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
  });
  rows.erase(end, rows.end());
  return rows;
}

}  // namespace

std::vector<std::int64_t> shown_rows(const RunResult& result) {
  const auto& scores = result.scored.scores;
  std::vector<std::int64_t> good, poor;
  for (std::int64_t row = 0; row < std::ssize(scores.score); ++row) {
    const bool in_good = !result.scored.ranking || result.beats.found.quality[result.beats.kept[row]] == Quality::good;
    (in_good ? good : poor).push_back(row);
  }
  if (!good.empty()) std::erase_if(poor, [&](std::int64_t row) { return !scores.anomalous[row]; });
  const std::int64_t places = std::max(kReportBeats - std::ssize(good), kReportPoorBeats);
  const auto doubtful = highest(scores.score, std::move(poor), places);
  auto rows = highest(scores.score, std::move(good), kReportBeats - std::ssize(doubtful));
  rows.insert(rows.end(), doubtful.begin(), doubtful.end());
  return rows;
}

}  // namespace beatscan
