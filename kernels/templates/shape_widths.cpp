#include "kernels/templates/shape_widths.h"

#include <algorithm>
#include <cmath>

#include "kernels/runtime/error.h"
#include "kernels/runtime/rounded.h"

namespace beatscan {
namespace {

// Returns the slope at point j of a row: the sum of its values there times the taps.
double slope_at(const float* row, WidthRange range, const double* taps, std::int64_t tap_count, std::int64_t j) {
  double sum = 0;
  for (std::int64_t k = 0; k < tap_count; ++k) {
    std::int64_t place = j + k - (tap_count - 1) / 2;
    place = place < 0 ? 0 : place < range.points ? place : range.points - 1;
    sum = plus_product(sum, taps[k], static_cast<double>(row[place]));
  }
  return sum;
}

bool is_range(WidthRange range) {
  return range.points > 0 && 0 <= range.first && range.first < range.last && range.last <= range.points;
}

}  // namespace

std::vector<double> slopes_of(std::span<const float> row, WidthRange range, std::span<const double> taps) {
  BEATSCAN_EXPECTS(is_range(range) && std::ssize(row) == range.points && taps.size() % 2 == 1, "slopes_of: bad shape");
  std::vector<double> slopes;
  for (std::int64_t j = range.first; j < range.last; ++j)
    slopes.push_back(slope_at(row.data(), range, taps.data(), std::ssize(taps), j));
  return slopes;
}

std::vector<double> slope_taps(double sigma_points) {
  BEATSCAN_EXPECTS(sigma_points > 0, "slope_taps: sigma must be positive");
  const int reach = static_cast<int>(4 * sigma_points + 0.5);
  std::vector<double> smooth(2 * reach + 5, 0.0), taps(2 * reach + 3);  // two zeros on either side
  double sum = 0;
  for (int k = -reach; k <= reach; ++k) sum += smooth[k + reach + 2] = std::exp(-0.5 * std::pow(k / sigma_points, 2));
  for (std::size_t k = 0; k < taps.size(); ++k) taps[k] = 0.5 * (smooth[k] - smooth[k + 2]) / sum;
  return taps;
}

}  // namespace beatscan
