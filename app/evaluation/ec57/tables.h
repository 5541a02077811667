// app/evaluation/ec57/tables.h — the standard's tables, with a line for each recording, as `sumstats` prints them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/evaluation/ec57/comparison.h"

namespace beatscan::ec57 {

// A table: rows of one type, and what they have in sum and on average.
struct Table {
  std::string title, key;  // of the text, and in JSON such as "runs/V"
  std::vector<std::pair<std::string, Row>> records;
  Row gross;
  std::vector<Figure> average;  // means over the records that have the figure
  std::vector<int> averaged;    // their numbers
};

std::vector<Table> tables_of(const std::map<std::string, Comparison>& comparisons);

// Returns the text of all tables, with the matrix of beats of all recordings first. A hyphen is a figure without a
// value.
std::string tables_text(const std::map<std::string, Comparison>& comparisons, double match_window_ms);

}  // namespace beatscan::ec57
