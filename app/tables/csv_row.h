// app/tables/csv_row.h — writes a row of a CSV table.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/runtime/error.h"

namespace beatscan {

// Appends a row to a text, of which end() appends the rest. Numbers have their shortest form that reads back the same.
// The row is collected first, because appending each cell to the text would take longer than making it.
class Row {
 public:
  explicit Row(std::string& text) : text_(text) {}
  Row(const Row&) = delete;
  Row& operator=(const Row&) = delete;

  // Ends a row of one cell or more.
  void end() {
    BEATSCAN_EXPECTS(end_ != row_, "Row: no cell");
    end_[-1] = '\n';  // in place of the last comma
    flush();
  }
  Row& cell(std::string_view value) {
    put(value);
    return end_cell();
  }
  // Adds a text that may hold anything; it is quoted where it needs to be. An apostrophe stands before a text that a
  // spreadsheet would otherwise take for a formula.
  Row& words(std::string_view value) {
    const std::string_view guard = is_formula(value) ? "'" : "";
    if (value.find_first_of(",\"\r\n") == value.npos) return put(guard), cell(value);
    put("\""), put(guard);
    for (const char c : value) put(c == '"' ? "\"\"" : std::string_view(&c, 1));
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
    make_room();
    const bool negative = value < 0;
    const auto magnitude = negative ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    if (negative) *end_++ = '-';
    end_ = std::to_chars(end_, end_ + kLongestNumber, magnitude / 1000000).ptr;
    *end_++ = '.';
    auto rest = static_cast<std::uint32_t>(magnitude % 1000000);
    for (int place = 5; place >= 0; --place, rest /= 10) end_[place] = static_cast<char>('0' + rest % 10);
    end_ += 6;
    return end_cell();
  }

 private:
  // A lone "-", which names standard input, is no formula.
  static bool is_formula(std::string_view value) {
    return !value.empty() && value != "-" && std::string_view("=+-@\t\r").find(value[0]) != value.npos;
  }
  template <class... Arguments>
  Row& converted(Arguments... arguments) {
    make_room();
    end_ = std::to_chars(end_, end_ + kLongestNumber, arguments...).ptr;
    return end_cell();
  }
  void put(std::string_view part) {
    make_room();
    if (std::ssize(part) > kLongestNumber) {
      flush();
      text_ += part;
    } else {
      end_ = std::ranges::copy(part, end_).out;
    }
  }
  Row& end_cell() {
    *end_++ = ',';
    return *this;
  }
  // Makes room for a number or a part as long, and for what stands before and behind it.
  void make_room() {
    if (std::end(row_) - end_ < kLongestNumber + 16) flush();
  }
  void flush() {
    text_.append(row_, end_);
    end_ = row_;
  }

  static constexpr std::ptrdiff_t kLongestNumber = 400;
  std::string& text_;
  char row_[1024];
  char* end_ = row_;
};

}  // namespace beatscan
