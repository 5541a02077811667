// kernels/lists/local_quantiles.h — a sorted copy of a list.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/runtime/buffer.h"
#include "kernels/runtime/context.h"

namespace beatscan {

// Returns the values, none of them NaN, in ascending order.
Buffer<float, Cpu> sorted(Cpu&, std::span<const float> values);
Buffer<float, Cuda> sorted(Cuda&, std::span<const float> values);

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
      for (; first_ < first && last_ < last; ++first_, ++last_) replace(list_[first_], list_[last_]);
      for (; first_ < first; ++first_) sorted_.erase(std::ranges::lower_bound(sorted_, list_[first_]));
      for (; last_ < last; ++last_) sorted_.insert(std::ranges::upper_bound(sorted_, list_[last_]), list_[last_]);
    }
    first_ = first;
    last_ = last;
  }

  const std::vector<T>& sorted() const { return sorted_; }

 private:
  // Takes one value out and puts another one in. Of few values it counts the smaller ones, which has no branches that
  // depend on them.
  void replace(T old, T added) {
    constexpr std::size_t kFew = 128;
    std::int64_t from = 0, to = 0;  // values below either
    if (sorted_.size() <= kFew) {
      for (const T value : sorted_) from += value < old, to += value < added;
    } else {
      from = std::ranges::lower_bound(sorted_, old) - sorted_.begin();
      to = std::ranges::lower_bound(sorted_, added) - sorted_.begin();
    }
    const auto values = sorted_.begin();
    if (to > from)
      std::copy(values + from + 1, values + to--, values + from);
    else
      std::copy_backward(values + to, values + from, values + from + 1);
    values[to] = added;
  }

  std::span<const T> list_;
  std::int64_t first_ = 0, last_ = 0;
  std::vector<T> sorted_;
};

inline constexpr int kMostReach = 1000;

// quantiles[i][k] = the q[k]-quantile of values[max(middles[i] - reach, 0)] .. values[min(middles[i] + reach, M) - 1],
// interpolated between order statistics; NaN if there are no such values.
//   values     [M] 0 or more
//   middles    [K] 0 .. M, ascending
//   reach      1 .. kMostReach
//   q          0 .. 1
//   quantiles  [K][2]
// Both back ends give the same bits, because order statistics are exact. A wrong shape or option throws
// ErrorKind::internal.
void local_quantiles(Cpu&, std::span<const double> values, std::span<const std::int64_t> middles, int reach,
                     std::array<double, 2> q, std::span<double> quantiles);
void local_quantiles(Cuda&, std::span<const double> values, std::span<const std::int64_t> middles, int reach,
                     std::array<double, 2> q, std::span<double> quantiles);

// Makes the checks that both back ends share.
void check_local_quantiles(std::int64_t middles, int reach, std::array<double, 2> q, std::int64_t quantiles);

}  // namespace beatscan
