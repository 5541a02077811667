// app/report/drawing/relative_path.h — writes long SVG paths in few letters: each whole number is relative to the last.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>

namespace beatscan {

class RelativePath {
 public:
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
    char text[48];  // a letter, and twice a blank or sign with at most 20 digits
    char* end = text;
    if (!down_) *end++ = 'm';
    if (down_ && !in_line_) *end++ = 'l';
    end = number(end, dx, down_ && in_line_);
    end = number(end, dy, true);
    text_.append(text, static_cast<std::size_t>(end - text));
    in_line_ = down_;
    down_ = true;
    x_ = x, y_ = y;
  }
  // Draws a line of no length, which round ends make a dot.
  void dot(std::int64_t x, std::int64_t y) {
    lift();
    to(x, y);
    text_ += "h0";
    lift();
  }
  void lift() { down_ = in_line_ = false; }
  const std::string& text() const { return text_; }

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
  std::string text_;
  std::int64_t x_ = 0, y_ = 0;
  bool down_ = false, in_line_ = false;
};

}  // namespace beatscan
