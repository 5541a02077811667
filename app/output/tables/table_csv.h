// app/output/tables/table_csv.h — tables and rows as CSV.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace beatscan {

struct Table;

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
  // Adds any text, quoted if necessary. An apostrophe precedes a text that a spreadsheet would otherwise interpret as a
  // formula.
  Row& words(std::string_view value) {
    const std::string_view guard = is_formula(value) ? "'" : "";
    if (value.find_first_of(",\"\r\n") == value.npos) return text_ += guard, cell(value);
    (text_ += '"') += guard;
    for (const char c : value) text_ += c == '"' ? "\"\"" : std::string_view(&c, 1);
    return cell("\"");
  }
  Row& empty() { return cell(""); }
  Row& number(std::int64_t value) { return converted(value); }
  Row& number(float value) { return converted(value); }
  Row& number(double value) { return converted(value); }
  Row& number_or_empty(float value) { return std::isfinite(value) ? number(value) : empty(); }
  Row& seconds(std::optional<double> value) { return value ? converted(*value, std::chars_format::fixed, 6) : empty(); }
  // Adds seconds with six decimals.
  Row& microseconds(std::int64_t value) {
    char digits[32];
    const bool negative = value < 0;
    const auto magnitude = negative ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    char* end = digits;
    if (negative) *end++ = '-';
    end = std::to_chars(end, digits + 24, magnitude / 1000000).ptr;
    *end++ = '.';
    auto rest = static_cast<std::uint32_t>(magnitude % 1000000);
    for (int place = 5; place >= 0; --place, rest /= 10) end[place] = static_cast<char>('0' + rest % 10);
    end += 6;
    return cell({digits, end});
  }

 private:
  // A lone "-", which stands for standard input, is not a formula.
  static bool is_formula(std::string_view value) {
    return !value.empty() && value != "-" && std::string_view("=+-@\t\r").find(value[0]) != value.npos;
  }
  template <class... Arguments>
  Row& converted(Arguments... arguments) {
    char digits[400];
    return cell({digits, std::to_chars(digits, digits + sizeof digits, arguments...).ptr});
  }
  std::string& text_;
};

// Numbers have their shortest form that reads back the same, and times six decimals.
std::string csv_text(const Table& table);

// Returns the same text in parts.
std::vector<std::string> csv_parts(const Table& table);

// Returns the path of a result's beats.csv, or of beats.parquet if only that exists. The file need not exist.
std::filesystem::path beats_file(const std::filesystem::path& folder);

bool has_beats(const std::filesystem::path& folder);

// Returns the letters of the classes that a result's beats.csv has alone (--only); empty: it has all beats.
std::string classes_in_beats(const std::filesystem::path& folder);

// Returns the beats as CSV text, converted from beats.parquet if only that exists. Throws ErrorKind::input, also if the
// file has not all beats.
std::string beats_text(const std::filesystem::path& folder);

}  // namespace beatscan
