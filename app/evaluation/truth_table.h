// app/evaluation/truth_table.h — reads reference beats from a table of text.
//
// The first line names the columns. A column `sample` counts from 0; without it, samples are computed from a column of
// times and the sampling rate: `time`, `time_s`, `Time [ms]`, or clock times. Symbols are in a column `symbol`, or else
// `label`, `annotation` or `type`. If symbols are optional, a column `class` takes precedence over the last three, and
// these are used only if their first non-empty cell is a symbol. The delimiter is a comma, a semicolon, a tab, a bar,
// or any number of blanks.
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
  std::string_view symbol, beat_class;  // empty if the table has none
  double time_s;                        // NaN if unknown
  std::int64_t line;                    // the file's first line is 1
};

// Calls on_row for each row. Times become samples at the rate of `clock`; without a rate they are only checked, and
// `sample` is the second. Throws ErrorKind::input with the line if there is no column of samples or times, or of
// symbols if these are required; if a row has more or fewer cells than the first line; or if a sample is not a
// non-negative integer.
void for_each_truth_row(const std::filesystem::path& path, const SignalClock& clock, bool needs_symbols,
                        const std::function<void(const TruthRow&)>& on_row);

}  // namespace beatscan
