// app/result/csv_row.h — writes a row of a CSV table.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace beatscan {

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
  // Adds a text that may hold anything; it is quoted where it needs to be.
  Row& words(std::string_view value) {
    if (value.find_first_of(",\"\r\n") == value.npos) return cell(value);
    text_ += '"';
    for (const char c : value) text_ += c == '"' ? "\"\"" : std::string_view(&c, 1);
    return cell("\"");
  }
  Row& empty() { return cell(""); }
  Row& number(std::int64_t value) { return converted(value); }
  Row& number(float value) { return converted(value); }
  Row& number_or_empty(float value) { return std::isfinite(value) ? number(value) : empty(); }
  Row& seconds(std::optional<double> value) { return value ? converted(*value, std::chars_format::fixed, 6) : empty(); }

 private:
  template <class... Arguments>
  Row& converted(Arguments... arguments) {
    char digits[400];
    return cell({digits, std::to_chars(digits, digits + sizeof digits, arguments...).ptr});
  }
  std::string& text_;
};

}  // namespace beatscan
