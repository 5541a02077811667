// stages/io/csv/first_rows.h — what the first rows of a table show of its columns: an index, text, or a signal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace beatscan {

// The cells of the first rows of data, with decimal points. Values help to distinguish a signal from an index.
using FirstRows = std::vector<std::vector<std::string>>;

// Returns the cells of one column in the first rows; empty texts where a row is too short.
std::vector<std::string_view> cells_in(const FirstRows& rows, int column);

// Returns whether a column counts evenly upwards, as an index or a time does and a signal does not: in each of 32 rows
// or more it rises by the same step, or by one that was rounded to the last decimal.
bool rises_evenly(const FirstRows& rows, int column);

// Returns whether 32 rows or more of a column lie on one rising line to their last decimal. This is stricter than
// rises_evenly, and suits columns that are named like an ECG lead.
bool rises_on_a_line(const FirstRows& rows, int column);

// Returns how many decimals the numbers of a column have; -1 if not all have as many, or if there are fewer than 32.
int decimals_of(const FirstRows& rows, int column);

// Returns whether a column has text in the first rows, and nothing that may be a damaged sample.
bool is_text(const FirstRows& rows, int column);

// Returns the texts that alternate in column `names` while column `times` repeats each time once for each of them: "I"
// and "II" in a table with a row for each lead and time. Returns nothing for any other table.
std::vector<std::string> leads_in_turn(const FirstRows& rows, int times, int names);

}  // namespace beatscan
