// app/report/reasons.h — why a beat ranks as it does, in words.
#pragma once

#include <string>
#include <vector>

#include "app/report/stored_result.h"

namespace beatscan {

struct Reason {
  bool rhythm = false, waveform = false;  // which part of the score makes it high; both may
  std::string words;                      // "34 % early; unlike the median beat (correlation 0.31)"
};

// Of the k-th of the beats in report/.
Reason reason_of(const StoredResult& result, std::int64_t k);

// Pearson's correlation of two rows of equal length; 0 where one of them is flat.
double correlation(std::span<const float> a, std::span<const float> b);

}  // namespace beatscan
