#include "kernels/rhythm/line_fits.h"

#include <algorithm>
#include <vector>

#include "kernels/runtime/error.h"
#include "kernels/runtime/vectors.h"

namespace beatscan {
namespace {

// Writes the squared distances of boxes. Lane b of a vector has the values of box b, so that each box is added up in
// the order of its values.
struct SquaresOfBoxes {
  template <int W>
  BEATSCAN_INLINE static void run(const double* values, std::int64_t boxes, std::int64_t n, double* found) {
    constexpr int kLanes = W / 2;
    for (std::int64_t box = 0; box < boxes; box += kLanes) {
      const std::int64_t lanes = std::min<std::int64_t>(kLanes, boxes - box);
      const double* from[kLanes];
      for (int lane = 0; lane < kLanes; ++lane)
        from[lane] = values + (box + std::min<std::int64_t>(lane, lanes - 1)) * n;
      const Doubles<W> squares = squares_of<W>(from, n);
      for (int lane = 0; lane < lanes; ++lane) found[box + lane] = squares[lane];
    }
  }
  template <int W>
  BEATSCAN_INLINE static Doubles<W> squares_of(const double* const (&from)[W / 2], std::int64_t n) {
    const auto count = static_cast<double>(n);
    const auto values_at = [&](std::int64_t k) __attribute__((always_inline)) {
      Doubles<W> values{};
      for (int lane = 0; lane < W / 2; ++lane) values[lane] = from[lane][k];
      return values;
    };
    const Doubles<W> first = values_at(0), none{};
    Doubles<W> sum{}, squares{}, moments{};
    for (std::int64_t k = 0; k < n; ++k) {
      const Doubles<W> y = values_at(k) - first;
      sum += y;
      squares += y * y;
      moments += (static_cast<double>(k) - (count - 1) / 2) * y;
    }
    const double places = count * (count * count - 1) / 12;  // the sum of their squares
    const Doubles<W> around = squares - sum * sum / count - moments * moments / places;
    return around < none ? none : around;
  }
};

}  // namespace

double squares_around_lines(std::span<const double> values, std::int64_t n) {
  BEATSCAN_EXPECTS(n >= 2, "squares_around_lines: boxes of fewer than two values");
  const std::int64_t boxes = std::ssize(values) / n;
  std::vector<double> squares(boxes);
  OnProcessor<SquaresOfBoxes>::run(values.data(), boxes, n, squares.data());
  double sum = 0;
  for (const double its : squares) sum += its;
  return sum;
}

}  // namespace beatscan
