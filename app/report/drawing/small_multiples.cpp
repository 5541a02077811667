#include "app/report/drawing/small_multiples.h"

#include <algorithm>
#include <cmath>

#include "app/report/drawing/chart.h"
#include "app/report/drawing/html.h"
#include "app/report/drawing/ranges.h"

namespace beatscan {

std::string small_multiples(const std::vector<std::span<const float>>& rows, int columns, int width, int height,
                            const std::string& description) {
  Extremes ends;
  for (const auto& row : rows) ends = ends.with(extremes_of(row));
  const auto [least, greatest] = ends;
  const double scale = (height - 6) / std::max<double>(greatest - least, 1e-30);
  std::string path;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double left = static_cast<double>(i % columns) * width + 3,
                 top = static_cast<double>(i / columns) * height + 3;
    const auto last = static_cast<double>(rows[i].size() - 1);
    const std::size_t step = std::max<std::size_t>(1, 2 * rows[i].size() / width);  // a point every half pixel
    for (std::size_t p = 0; p < rows[i].size(); p += step)
      append_xy(path, p == 0 ? 'M' : 'L', left + (width - 6) * static_cast<double>(p) / last,
                top + scale * (greatest - (std::isfinite(rows[i][p]) ? rows[i][p] : least)));
  }
  const auto lines = (static_cast<int>(rows.size()) + columns - 1) / columns;
  std::string grid;
  for (int x = 0; x <= columns; ++x) grid += "M" + std::to_string(x * width) + " 0v" + std::to_string(lines * height);
  for (int y = 0; y <= lines; ++y) grid += "M0 " + std::to_string(y * height) + "h" + std::to_string(columns * width);
  return "<svg class=\"chart multiples\" role=\"img\" aria-label=\"" + escaped(description) + "\" viewBox=\"-1 -1 " +
         std::to_string(columns * width + 2) + " " + std::to_string(lines * height + 2) +
         "\"><path class=\"grid\" d=\"" + grid + "\"/><path class=\"line model\" d=\"" + path + "\"/></svg>";
}

}  // namespace beatscan
