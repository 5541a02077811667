#include "kernels/windows/mean_row.h"

#include <algorithm>
#include <vector>

#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "kernels/runtime/portable.h"

namespace beatscan {

void mean_row(Cpu& cpu, std::span<const float> rows, std::span<const std::int32_t> indices, std::span<float> row) {
  const auto points = std::ssize(row), n = std::ssize(indices);
  BEATSCAN_EXPECTS(n > 0 && points > 0 && std::ssize(rows) % points == 0, "mean_row: bad shape");
  std::vector<float> parts(kMeanParts * points);
  parallel_for(cpu, kMeanParts, 16, [&](std::int64_t first_part, std::int64_t last_part) {
    for (std::int64_t part = first_part; part < last_part; ++part)
      for (std::int64_t i = n * part / kMeanParts; i < n * (part + 1) / kMeanParts; ++i)
        for (std::int64_t t = 0; t < points; ++t) parts[part * points + t] += rows[indices[i] * points + t];
  });
  for (std::int64_t t = 0; t < points; ++t) {
    double sum = 0;
    for (std::int64_t part = 0; part < kMeanParts; ++part) sum += parts[part * points + t];
    row[t] = static_cast<float>(sum / static_cast<double>(n));
  }
}

void row_errors(Cpu& cpu, std::span<const float> rows, std::span<const std::int32_t> indices,
                std::span<const float> row, std::span<float> errors) {
  const auto points = std::ssize(row);
  BEATSCAN_EXPECTS(points > 0 && std::ssize(rows) % points == 0 && errors.size() == indices.size(),
                   "row_errors: bad shape");
  parallel_for(cpu, std::ssize(indices), 256, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      float sum = 0;
      for (std::int64_t t = 0; t < points; ++t) {
        const float difference = rows[indices[i] * points + t] - row[t];
        sum += difference * difference;
      }
      errors[i] = sum / static_cast<float>(points);
    }
  });
}

void median_row(Cpu& cpu, std::span<const float> rows, std::span<float> median) {
  const std::int64_t points = std::ssize(median), count = check_median_row(std::ssize(rows), points);
  parallel_for(cpu, points, 16, [&](std::int64_t first, std::int64_t last) {
    std::vector<float> column(count);
    for (std::int64_t j = first; j < last; ++j) {
      for (std::int64_t i = 0; i < count; ++i) column[i] = rows[i * points + j];
      std::ranges::sort(column);
      median[j] = interpolate(column[(count - 1) / 2], column[count / 2], 0.5f);
    }
  });
}

void mean_squares(Cpu& cpu, std::span<const float> rows, std::span<double> squares) {
  const std::int64_t points = check_mean_squares(std::ssize(rows), std::ssize(squares));
  parallel_for(cpu, std::ssize(squares), 256, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      double sum = 0;
      for (const double value : rows.subspan(i * points, points)) sum += value * value;
      squares[i] = sum / static_cast<double>(points);
    }
  });
}

std::int64_t check_median_row(std::int64_t rows, std::int64_t median) {
  BEATSCAN_EXPECTS(median > 0 && rows > 0 && rows % median == 0 && rows / median <= kMostMedianRows,
                   "median_row: bad shape");
  return rows / median;
}

std::int64_t check_mean_squares(std::int64_t rows, std::int64_t squares) {
  if (squares == 0 && rows == 0) return 0;
  BEATSCAN_EXPECTS(squares > 0 && rows > 0 && rows % squares == 0, "mean_squares: bad shape");
  return rows / squares;
}

}  // namespace beatscan
