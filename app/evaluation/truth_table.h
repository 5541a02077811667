// app/evaluation/truth_table.h — reads reference beats from a table of text.
//
// The first line names the columns. A column `sample` counts from 0; without it, a column of times tells the sample by
// the sampling rate: `time`, `time_s`, `Time [ms]`, or clock times. A column `symbol`, or else `label`, `annotation` or
// `type`, has the symbols. Where these are not needed, a column `kind` goes before the latter, and they count only if
// their first cell that is not empty is a symbol. Between the columns stands a comma, a semicolon, a tab, a bar, or any
// number of blanks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>

namespace beatscan {

struct SignalClock;

struct TruthRow {
  std::int64_t sample;
  std::string_view symbol, kind;  // empty where the table has none
  double time_s;                  // NaN where it is not told
  std::int64_t line;              // the file's first line is 1
};

// Calls on_row for each row. Times become samples at the rate of `clock`; without a rate they are read to find errors,
// and `sample` is the second. Throws ErrorKind::input naming the line: there is no column of samples or times, or of
// symbols if these are needed; a row has more or fewer cells than the first line; a sample is not a whole number from
// 0.
void for_each_truth_row(const std::filesystem::path& path, const SignalClock& clock, bool needs_symbols,
                        const std::function<void(const TruthRow&)>& on_row);

}  // namespace beatscan
