// app/report/drawing/relative_path.h — writes long SVG paths in few letters: each whole number is relative to the last.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>

namespace beatscan {

class RelativePath {
 public:
  // Returns the nearest whole number. It is limited to 1e9, because float32 reaches to 3e38, which cannot be added up.
  static std::int64_t whole(double coordinate) { return std::llround(std::clamp(coordinate, -1e9, 1e9)); }

  // Draws a line from the pen to this point. After lift() it only moves the pen.
  void to(std::int64_t x, std::int64_t y) {
    const std::int64_t dx = x - x_, dy = y - y_;
    if (down_ && dx == 0 && dy == 0) return;
    if (!down_) text_ += 'm';
    if (down_ && !in_line_) text_ += 'l';
    append(dx, down_ && in_line_);
    append(dy, true);
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
  // Appends a number. A minus sign separates numbers as well as a space does.
  void append(std::int64_t value, bool behind_number) {
    if (behind_number && value >= 0) text_ += ' ';
    char digits[24];
    text_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  }
  std::string text_;
  std::int64_t x_ = 0, y_ = 0;
  bool down_ = false, in_line_ = false;
};

}  // namespace beatscan
