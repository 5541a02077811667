// kernels/lists/sorted_window.h — a window of a list that moves up, with its values in ascending order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace beatscan {

class SortedWindow {
 public:
  // Refers to the list, none of whose values is NaN.
  explicit SortedWindow(std::span<const double> list) : list_(list) {}

  // Moves the window to list[first .. last). This is quick if the window moves up by little.
  void move_to(std::int64_t first, std::int64_t last);

  // Returns a quantile of the window, interpolated between order statistics; NaN of none.
  double quantile(double q) const;

  std::span<const double> sorted() const { return {now_.data() + 1, static_cast<std::size_t>(last_ - first_)}; }

 private:
  void sort_anew();
  void replace(double old, double added);
  void insert(double added);
  void erase(double old);

  std::span<const double> list_;
  std::int64_t first_ = 0, last_ = 0;
  std::vector<double> now_ = {0, 0}, next_;  // the values between -infinity and infinity, and room for the next ones
};

}  // namespace beatscan
