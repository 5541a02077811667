// kernels/features/columns.h — what the kernels of the beat table's columns share.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/error.h"
#include "kernels/runtime/portable.h"

namespace beatscan::features {

inline constexpr double kPrematureRatio = 0.88;  // below it the RR interval over the local median is premature

BEATSCAN_HOST_DEVICE inline double lesser(double a, double b) { return b < a ? b : a; }
BEATSCAN_HOST_DEVICE inline double larger(double a, double b) { return a < b ? b : a; }
BEATSCAN_HOST_DEVICE inline double within(double x, double low, double high) {
  return x < low ? low : high < x ? high : x;
}

// Returns the value `by` places later (earlier, if negative) in a list of `count`; beyond the ends the last or the
// first one.
template <class T>
BEATSCAN_HOST_DEVICE T neighbour_of(const T* values, std::int64_t count, std::int64_t i, std::int64_t by) {
  const std::int64_t at = i + by, last = count - 1;
  return values[at < 0 ? 0 : at > last ? last : at];
}

// Neighbouring columns of the beat table, [C][K].
struct ColumnsView {
  float* values;
  std::int64_t beats;  // K

  BEATSCAN_HOST_DEVICE void set(int column, std::int64_t beat, double value) const {
    values[column * beats + beat] = static_cast<float>(value);
  }
};

inline ColumnsView view_of(std::span<float> columns, int count, std::int64_t beats) {
  BEATSCAN_EXPECTS(static_cast<std::int64_t>(columns.size()) == count * beats, "beat table: bad shape of columns");
  return {columns.data(), beats};
}

}  // namespace beatscan::features
