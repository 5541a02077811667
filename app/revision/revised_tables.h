// app/revision/revised_tables.h — the tables of a result with the revised beats, made from the text of its own tables.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/report/stored/beat_table.h"
#include "app/report/stored/stored_leads.h"
#include "app/revision/revised_beats.h"

namespace beatscan {

struct StoredResult;

// A table with a header, as the text of a file.
struct TextTable {
  std::vector<std::string_view> names;  // of the columns
  std::vector<std::string_view> rows;

  explicit TextTable(std::string_view text);
  // Returns the place of a column, or the number of columns.
  std::size_t column(std::string_view name) const { return std::ranges::find(names, name) - names.begin(); }
};

// Makes the rows of beats.csv of the revised beats, with the last column `corrected`: class, inserted or noise; empty
// where nothing was corrected. Scores remain those of the analysis; a corrected beat is abnormal if its class is S, V
// or F. Ratios of intervals are empty where an interval has changed. Refers to all that it is given.
class RevisedRows {
 public:
  // `table` is beats.csv of the result, whose beats are `result.beats`.
  RevisedRows(const TextTable& table, const StoredResult& result, const RevisedBeats& revised)
      : table_(table), result_(result), revised_(revised), view_(revised.rhythm.view()) {}

  std::string header() const;
  void append(std::int64_t beat, std::string& text) const;

 private:
  bool is_newly_noisy(std::int64_t beat) const;

  const TextTable& table_;
  const StoredResult& result_;
  const RevisedBeats& revised_;
  RhythmBeats view_;
};

// Returns the columns of these rows that the page shows: what would be read back from them.
BeatTable revised_beat_table(const StoredResult& result, const RevisedBeats& revised);

// Returns abnormal.csv. The most abnormal beat is the first.
std::string revised_abnormal_csv(std::string_view text, const RevisedRows& beats, const StoredResult& result,
                                 const RevisedBeats& revised);

// Returns templates.csv with the classes and numbers of beats of the revised templates.
std::string revised_templates_csv(std::string_view text, const StoredResult& result, const RevisedBeats& revised);

// Returns the parts of the stretches that were marked as noise, and are not poor already.
//   poor  in order
std::vector<PoorStretch> new_noise(const Corrections& corrections, const std::vector<PoorStretch>& poor,
                                   double length_s);

// Returns quality.csv with the stretches that were marked as noise, in every lead.
std::string revised_quality_csv(const StoredResult& result, const Corrections& corrections);

}  // namespace beatscan
