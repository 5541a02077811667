// kernels/detect/median.h — the median of a few values around a block or an interval, for both back ends.
#pragma once

#include "kernels/detect/detect.h"
#include "kernels/runtime/portable.h"

namespace beatscan {

// Keeps up to 2 * kMaxReach + 1 values sorted as they come.
template <class T>
class FewSorted {
 public:
  BEATSCAN_HOST_DEVICE void add(T value) {
    int place = size_++;
    for (; place > 0 && sorted_[place - 1] > value; --place) sorted_[place] = sorted_[place - 1];
    sorted_[place] = value;
  }
  // Returns the median; of an even number of values it is the mean of the middle two, and of none 0.
  BEATSCAN_HOST_DEVICE double median() const {
    if (size_ == 0) return 0;
    return 0.5 * (static_cast<double>(sorted_[(size_ - 1) / 2]) + static_cast<double>(sorted_[size_ / 2]));
  }
  BEATSCAN_HOST_DEVICE T largest() const { return size_ == 0 ? 0 : sorted_[size_ - 1]; }

 private:
  T sorted_[2 * kMaxReach + 1];
  int size_ = 0;
};

}  // namespace beatscan
