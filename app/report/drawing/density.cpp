#include "app/report/drawing/density.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "app/report/drawing/chart.h"

namespace beatscan {
namespace {

constexpr int kShades = 6;

// Hexagons in rows, every other row shifted by half a hexagon. A point belongs to the nearest centre in the two rows
// around it.
struct Honeycomb {
  double width, height;  // distances between centres, pixels
  int columns, rows;

  std::size_t cell_of(double x, double y) const {
    const auto distance = [&](int row, int& column) {
      const double shift = row % 2 ? 0.5 : 0;
      column = static_cast<int>(std::lround(x / width - shift));
      const double dx = x - (column + shift) * width, dy = y - row * height;
      return dx * dx + dy * dy;
    };
    const int above = static_cast<int>(y / height);
    int column_above = 0, column_below = 0;
    const bool first = distance(above, column_above) <= distance(above + 1, column_below);
    const int row = std::clamp(first ? above : above + 1, 0, rows - 1);
    return static_cast<std::size_t>(row) * columns + std::clamp(first ? column_above : column_below, 0, columns - 1);
  }
};

void append_hexagon(std::string& path, double x, double y, double width) {
  const double half = width / 2, quarter = width / std::sqrt(12.0);
  append_xy(path, 'M', x, y - 2 * quarter);
  append_xy(path, 'l', half, quarter);
  append_xy(path, 'l', 0, 2 * quarter);
  append_xy(path, 'l', -half, quarter);
  append_xy(path, 'l', -half, -quarter);
  append_xy(path, 'l', 0, -2 * quarter);
  path += 'z';
}

}  // namespace

std::string hexagons(const Chart& chart, std::span<const Point> points, double width) {
  const double height = width * std::sqrt(0.75);
  const Honeycomb comb{width, height, static_cast<int>((chart.right() - chart.left()) / width) + 2,
                       static_cast<int>((chart.bottom() - chart.top()) / height) + 2};
  std::vector<int> counts(static_cast<std::size_t>(comb.columns) * comb.rows);
  for (const Point& point : points)
    if (std::isfinite(point.x) && std::isfinite(point.y))
      ++counts[comb.cell_of(chart.x(point.x) - chart.left(), chart.y(point.y) - chart.top())];
  const double most = std::log1p(std::ranges::max(counts));
  std::array<std::string, kShades> paths;
  for (int row = 0; row < comb.rows; ++row)
    for (int column = 0; column < comb.columns; ++column) {
      const int count = counts[static_cast<std::size_t>(row) * comb.columns + column];
      if (count == 0) continue;
      const auto shade = std::min<int>(kShades - 1, static_cast<int>(kShades * std::log1p(count) / most));
      append_hexagon(paths[shade], chart.left() + (column + (row % 2 ? 0.5 : 0)) * width, chart.top() + row * height,
                     width);
    }
  std::string svg;
  for (int shade = 0; shade < kShades; ++shade)
    if (!paths[shade].empty())
      svg += "<path class=\"density d" + std::to_string(shade) + "\" d=\"" + paths[shade] + "\"/>";
  return svg;
}

}  // namespace beatscan
