// app/report/relative_path.h — long lines in few letters: an SVG path of whole numbers, each relative to the last.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>

namespace beatscan {

class RelativePath {
 public:
  // The nearest whole number; what is far off any paper (float32 reaches to 3e38) stays within what can be added.
  static std::int64_t whole(double coordinate) { return std::llround(std::clamp(coordinate, -1e9, 1e9)); }

  // A line to here from where the pen is; after lift() the pen is only moved.
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
  // A line of no length: round ends make it a dot.
  void dot(std::int64_t x, std::int64_t y) {
    lift();
    to(x, y);
    text_ += "h0";
    lift();
  }
  void lift() { down_ = in_line_ = false; }
  const std::string& text() const { return text_; }

 private:
  // A minus sign parts numbers as well as a space does.
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
