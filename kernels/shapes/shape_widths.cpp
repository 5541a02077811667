#include "kernels/shapes/shape_widths.h"

#include <algorithm>
#include <cmath>

#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/rounded.h"

namespace beatscan {
namespace {

// Returns the slope at point j of a row: the sum of its values there times the taps.
BEATSCAN_HOST_DEVICE double slope_at(const float* row, WidthRange range, const double* taps, std::int64_t tap_count,
                                     std::int64_t j) {
  double sum = 0;
  for (std::int64_t k = 0; k < tap_count; ++k) {
    std::int64_t place = j + k - (tap_count - 1) / 2;
    place = place < 0 ? 0 : place < range.points ? place : range.points - 1;
    sum = plus_product(sum, taps[k], static_cast<double>(row[place]));
  }
  return sum;
}

struct ShapeWidths {
  struct Lead {
    const float* rows;
    const double* median_slopes;
    double spread, weight;
  } leads[kMostWidthLeads] = {};
  int count;
  WidthRange range;
  const std::int64_t* beats;
  const double* taps;
  std::int64_t tap_count;
  double* widths;

  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    double sum = 0, squares = 0;
    for (std::int64_t j = range.first; j < range.last; ++j) {
      double energy = 0;
      for (int l = 0; l < count; ++l) {
        const Lead& lead = leads[l];
        const float* row = lead.rows + beats[i] * range.points;
        const double slope =
            plus_product(lead.median_slopes[j - range.first], lead.spread, slope_at(row, range, taps, tap_count, j));
        energy = plus_product(energy, lead.weight * slope, slope);
      }
      sum += sqrt(energy);
      squares += energy;
    }
    widths[i] = squares > 0 ? sum * sum / squares : 0;
  }
};

bool is_range(WidthRange range) {
  return range.points > 0 && 0 <= range.first && range.first < range.last && range.last <= range.points;
}

}  // namespace

void shape_widths(BackEnd& context, std::span<const WidthLead> leads, WidthRange range,
                  std::span<const std::int64_t> beats, std::span<const double> taps, std::span<double> widths) {
  BEATSCAN_EXPECTS(1 <= leads.size() && leads.size() <= kMostWidthLeads && is_range(range) &&
                       beats.size() == widths.size() && taps.size() % 2 == 1,
                   "shape_widths: bad shape");
  ShapeWidths work{.count = static_cast<int>(leads.size()),
                   .range = range,
                   .beats = beats.data(),
                   .taps = taps.data(),
                   .tap_count = std::ssize(taps),
                   .widths = widths.data()};
  for (std::size_t l = 0; l < leads.size(); ++l) {
    BEATSCAN_EXPECTS(std::ssize(leads[l].rows) % range.points == 0 && leads[l].rows.size() == leads[0].rows.size() &&
                         std::ssize(leads[l].median_slopes) == range.last - range.first,
                     "shape_widths: bad lead");
    work.leads[l] = {leads[l].rows.data(), leads[l].median_slopes.data(), leads[l].spread, leads[l].weight};
  }
  each(context, std::ssize(widths), work);
}

#ifndef __CUDACC__
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
#endif

}  // namespace beatscan
