// app/report/drawing/relative_path.h — writes long SVG paths in few letters: each whole number is relative to the last.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

namespace beatscan {

class RelativePath {
 public:
  RelativePath() = default;
  RelativePath(const RelativePath&) = delete;
  RelativePath& operator=(const RelativePath&) = delete;

  // Returns the nearest whole number, as std::llround does. It is limited to 1e9, because float32 reaches to 3e38,
  // which cannot be added up. NaN becomes the least number.
  static std::int64_t whole(double coordinate) {
    const double limited = std::min(std::max(-1e9, coordinate), 1e9);
    const auto towards_0 = static_cast<std::int64_t>(limited);
    const double rest = limited - static_cast<double>(towards_0);
    return towards_0 + (rest >= 0.5) - (rest <= -0.5);
  }

  // Draws a line from the pen to this point. After lift() it only moves the pen.
  void to(std::int64_t x, std::int64_t y) {
    const std::int64_t dx = x - x_, dy = y - y_;
    if (down_ && dx == 0 && dy == 0) return;
    if (std::end(last_) - end_ < kLongestStep) flush();
    if (!down_) *end_++ = 'm';
    if (down_ && !in_line_) *end_++ = 'l';
    end_ = number(end_, dx, down_ && in_line_);
    end_ = number(end_, dy, true);
    in_line_ = down_;
    down_ = true;
    x_ = x, y_ = y;
  }
  // Draws a line of no length, which round ends make a dot.
  void dot(std::int64_t x, std::int64_t y) {
    lift();
    to(x, y);
    end_ = std::ranges::copy(std::string_view("h0"), end_).out;
    lift();
  }
  void lift() { down_ = in_line_ = false; }
  const std::string& text() {
    flush();
    return text_;
  }

 private:
  // Writes a number and returns its end. A minus sign separates numbers as well as a space does. Most numbers have one
  // or two digits.
  static char* number(char* end, std::int64_t value, bool behind_number) {
    if (value < 0)
      *end++ = '-';
    else if (behind_number)
      *end++ = ' ';
    const auto magnitude = static_cast<std::uint64_t>(value < 0 ? -value : value);
    if (magnitude >= 100) return std::to_chars(end, end + 20, magnitude).ptr;
    if (magnitude >= 10) *end++ = static_cast<char>('0' + magnitude / 10);
    *end++ = static_cast<char>('0' + magnitude % 10);
    return end;
  }
  void flush() {
    text_.append(last_, end_);
    end_ = last_;
  }
  // A letter, twice a blank or sign with at most 20 digits, and "h0".
  static constexpr std::ptrdiff_t kLongestStep = 48;
  std::string text_;
  char last_[1024];  // the last steps, because appending each to the text would take longer than making it
  char* end_ = last_;
  std::int64_t x_ = 0, y_ = 0;
  bool down_ = false, in_line_ = false;
};

}  // namespace beatscan
