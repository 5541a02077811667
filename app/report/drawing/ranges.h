// app/report/drawing/ranges.h — from which value to which one a chart is drawn.
#pragma once

#include <limits>
#include <span>

namespace beatscan {

struct Range {
  double from, to;
};

// Returns a range, with a small margin, of the values without the lowest and the highest `apart` (a share) of them. NaN
// are left out.
Range range_of(std::span<const float> values, double apart);

// The least and the greatest of some values.
struct Extremes {
  float least = std::numeric_limits<float>::infinity(), greatest = -std::numeric_limits<float>::infinity();
  bool exist() const { return least <= greatest; }
  Extremes with(const Extremes& others) const {
    return {others.least < least ? others.least : least, others.greatest > greatest ? others.greatest : greatest};
  }
};

// Returns the extremes of the finite values; none where no value is finite.
Extremes extremes_of(std::span<const float> values);

struct SignalRange {
  Range range;
  bool cut;  // artefacts reach beyond the range
};

// Returns the range of values in which a signal is drawn: all of the signal, or, where a few artefacts reach more than
// twice as far as everything else, the signal without them.
SignalRange signal_range(std::span<const float> envelope);

}  // namespace beatscan
