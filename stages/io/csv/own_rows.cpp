#include "stages/io/csv/own_rows.h"

#include <algorithm>
#include <cmath>

#include "stages/common/robust.h"

namespace beatscan {

OwnRows own_rows(std::span<const float> values) {
  constexpr std::int64_t kLeastRows = 100, kRunRows = 50, kOthers = 100;
  OwnRows own;
  const std::int64_t rows = std::ssize(values);
  std::int64_t runs = 0;
  for (std::int64_t row = 0; row < rows; ++row)
    if (!std::isnan(values[row]))
      own.rows.push_back(row);
    else
      runs += row == 0 || !std::isnan(values[row - 1]);
  const std::int64_t with_value = std::ssize(own.rows);
  if (rows < kLeastRows || 10 * (rows - with_value) < rows || kRunRows * runs < rows || with_value < 2) return {};
  std::vector<double> steps;
  for (std::size_t i = 1; i < own.rows.size(); ++i) steps.push_back(static_cast<double>(own.rows[i] - own.rows[i - 1]));
  const double usual = upper_median(steps);
  if (usual > 1 && kOthers * std::ranges::count(steps, usual) >= (kOthers - 1) * std::ssize(steps))
    own.stride = static_cast<std::int64_t>(usual);
  return own;
}

}  // namespace beatscan
