#include "kernels/lists/sorted_window.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "kernels/runtime/each_width.h"
#include "kernels/runtime/portable.h"

namespace beatscan {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Writes n sorted values with one `old` value taken out and `added` put in: each value follows from itself and its
// neighbours, many at a time, without a branch. sorted[-1] is -infinity and sorted[n] is infinity.
BEATSCAN_EACH_WIDTH("default", "avx2", "avx512f")
void write_replaced(const double* __restrict sorted, std::int64_t n, double old, double added,
                    double* __restrict result) {
  for (std::int64_t i = 0; i < n; ++i) {
    const double before = sorted[i - 1] < old ? sorted[i - 1] : sorted[i];  // in the values without the old one
    const double here = sorted[i] < old ? sorted[i] : sorted[i + 1];
    const double least = here < added ? here : added;
    result[i] = before > least ? before : least;
  }
}

}  // namespace

void SortedWindow::move_to(std::int64_t first, std::int64_t last) {
  if (first < first_ || last < last_ || first >= last_) {
    first_ = first;
    last_ = last;
    sort_anew();
    return;
  }
  while (first_ < first && last_ < last) replace(list_[first_++], list_[last_++]);
  while (first_ < first) erase(list_[first_++]);
  while (last_ < last) insert(list_[last_++]);
}

double SortedWindow::quantile(double q) const {
  const auto values = sorted();
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const double place = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  return interpolate(values[below], values[std::min(below + 1, values.size() - 1)], place - static_cast<double>(below));
}

void SortedWindow::sort_anew() {
  now_.assign(1, -kInfinity);
  now_.insert(now_.end(), list_.begin() + first_, list_.begin() + last_);
  std::ranges::sort(now_);
  now_.push_back(kInfinity);
}

void SortedWindow::replace(double old, double added) {
  next_.resize(now_.size());
  next_.front() = -kInfinity;
  next_.back() = kInfinity;
  write_replaced(now_.data() + 1, std::ssize(now_) - 2, old, added, next_.data() + 1);
  std::swap(now_, next_);
}

void SortedWindow::insert(double added) { now_.insert(std::ranges::upper_bound(now_, added), added); }
void SortedWindow::erase(double old) { now_.erase(std::ranges::lower_bound(now_, old)); }

}  // namespace beatscan
