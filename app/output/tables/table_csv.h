// app/output/tables/table_csv.h — tables and rows as CSV.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "app/output/tables/number_text.h"

namespace beatscan {

struct Table;

// Returns a text as a cell: quoted if necessary. An apostrophe precedes a text that a spreadsheet would otherwise
// interpret as a formula.
std::string words_cell(std::string_view value);

// Appends a row to a text. Numbers have their shortest form that reads back the same.
class Row {
 public:
  explicit Row(std::string& text) : text_(text) {}
  ~Row() { text_.back() = '\n'; }

  Row& cell(std::string_view value) {
    text_ += value;
    text_ += ',';
    return *this;
  }
  // Adds any text, as words_cell() returns it.
  Row& words(std::string_view value) { return cell(words_cell(value)); }
  Row& empty() { return cell(""); }
  template <class Number>
  Row& number(Number value) {
    char digits[kLongestNumber];
    return cell({digits, write_number(value, digits)});
  }
  Row& number_or_empty(float value) { return std::isfinite(value) ? number(value) : empty(); }
  // Adds seconds with six decimals.
  Row& seconds(std::optional<double> value) {
    char digits[400];
    return value ? cell({digits, std::to_chars(digits, std::end(digits), *value, std::chars_format::fixed, 6).ptr})
                 : empty();
  }

 private:
  std::string& text_;
};

// Appends a table as text, part by part. Numbers have their shortest form that reads back the same, and times six
// decimals. `append` may not keep a part.
void write_csv(const Table& table, bool has_header, const std::function<void(std::string_view)>& append);

// Returns the same text, with a header, as a whole.
std::string csv_text(const Table& table);

// Returns the path of a result's beats.csv, or of beats.parquet if only that exists. The file need not exist.
std::filesystem::path beats_file(const std::filesystem::path& folder);

bool has_beats(const std::filesystem::path& folder);

// Returns the letters of the classes that a result's beats.csv has alone (--only); empty: it has all beats.
std::string classes_in_beats(const std::filesystem::path& folder);

// Returns the beats as CSV text, converted from beats.parquet if only that exists. Throws ErrorKind::input, also if the
// file has not all beats.
std::string beats_text(const std::filesystem::path& folder);

}  // namespace beatscan
