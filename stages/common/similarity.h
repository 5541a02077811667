// stages/common/similarity.h — the similarity of two rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace beatscan {

struct Similarity {
  double correlation, size;  // Pearson's; standard deviation of the first row over that of the second
};

// Returns the similarity of two rows of equal length; 0 and 0 if one of them is flat.
template <class Value>
Similarity similarity_of(std::span<const Value> row, std::span<const Value> reference) {
  double mean_a = 0, mean_b = 0, aa = 0, bb = 0, ab = 0;
  const auto n = static_cast<double>(row.size());
  for (std::size_t i = 0; i < row.size(); ++i) mean_a += row[i] / n, mean_b += reference[i] / n;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const double a = row[i] - mean_a, b = reference[i] - mean_b;
    aa += a * a, bb += b * b, ab += a * b;
  }
  if (!(aa > 0 && bb > 0)) return {0, 0};
  return {ab / std::sqrt(aa * bb), std::sqrt(aa / bb)};
}

// Returns the standard deviation of a row.
inline double deviation_of(std::span<const float> row) {
  double sum = 0, squares = 0;
  for (const float value : row) sum += value, squares += static_cast<double>(value) * value;
  const auto n = static_cast<double>(row.size());
  return std::sqrt(std::max(squares / n - sum / n * (sum / n), 0.0));
}

}  // namespace beatscan
