// kernels/lists/sorted_window.h — the values of a window over a list in ascending order, while the window moves.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace beatscan {

template <class T>
class SortedWindow {
 public:
  explicit SortedWindow(std::span<const T> list) : list_(list) {}

  // Moves the window to list[first .. last). This is quick if the window moves up by little.
  void move_to(std::int64_t first, std::int64_t last) {
    if (first < first_ || last < last_ || first >= last_) {
      sorted_.assign(list_.begin() + first, list_.begin() + last);
      std::ranges::sort(sorted_);
    } else {
      for (; first_ < first; ++first_) sorted_.erase(std::ranges::lower_bound(sorted_, list_[first_]));
      for (; last_ < last; ++last_) sorted_.insert(std::ranges::upper_bound(sorted_, list_[last_]), list_[last_]);
    }
    first_ = first;
    last_ = last;
  }

  const std::vector<T>& sorted() const { return sorted_; }

 private:
  std::span<const T> list_;
  std::int64_t first_ = 0, last_ = 0;
  std::vector<T> sorted_;
};

}  // namespace beatscan
