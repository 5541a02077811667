#include "kernels/waves/medians.h"

#include <limits>

#include "kernels/runtime/vectors.h"

namespace beatscan::waves {
namespace {

// The values of a window, for medians.h. Comparisons choose between vectors: GCC takes other uses of them apart
// where it compiles for AVX-512.
template <int W>
class WindowValues {
 public:
  BEATSCAN_INLINE explicit WindowValues(const float* window) : window_(window) {
    Floats<W> least = load<W>(window), greatest = least;
#pragma GCC unroll 20
    for (int k = W; k < kValues; k += W) {
      const Floats<W> value = load<W>(window + k);
      least = value < least ? value : least;
      greatest = value > greatest ? value : greatest;
    }
    least_ = least_of<W>(least);
    greatest_ = -least_of<W>(-greatest);
  }
  BEATSCAN_INLINE float least() const { return least_; }
  BEATSCAN_INLINE float greatest() const { return greatest_; }
  BEATSCAN_INLINE int below(float x) const {
    Ints<W> count = {};
#pragma GCC unroll 20
    for (int k = 0; k < kValues; k += W) count += load<W>(window_ + k) < x ? one() : Ints<W>{};
    return sum_of<W>(count);
  }
  BEATSCAN_INLINE int upto(float x) const {
    Ints<W> count = {};
#pragma GCC unroll 20
    for (int k = 0; k < kValues; k += W) count += load<W>(window_ + k) <= x ? one() : Ints<W>{};
    return sum_of<W>(count);
  }
  BEATSCAN_INLINE float from(float x) const {
    Floats<W> found = Floats<W>{} + kMost;
#pragma GCC unroll 20
    for (int k = 0; k < kValues; k += W) {
      const Floats<W> value = load<W>(window_ + k), candidate = value >= x ? value : found;
      found = candidate < found ? candidate : found;
    }
    return least_of<W>(found);
  }
  BEATSCAN_INLINE float above(float x) const {
    Floats<W> found = Floats<W>{} + kMost;
#pragma GCC unroll 20
    for (int k = 0; k < kValues; k += W) {
      const Floats<W> value = load<W>(window_ + k), candidate = value > x ? value : found;
      found = candidate < found ? candidate : found;
    }
    return least_of<W>(found);
  }
  BEATSCAN_INLINE float before(float x) const {
    Floats<W> found = Floats<W>{} - kMost;
#pragma GCC unroll 20
    for (int k = 0; k < kValues; k += W) {
      const Floats<W> value = load<W>(window_ + k), candidate = value < x ? value : found;
      found = candidate > found ? candidate : found;
    }
    return -least_of<W>(-found);
  }

 private:
  static constexpr float kMost = std::numeric_limits<float>::infinity();

  BEATSCAN_INLINE static Ints<W> one() { return Ints<W>{} + 1; }
  // Returns the sum, and the least, of a vector's lanes.
  template <int Lanes>
  BEATSCAN_INLINE static int sum_of(Ints<Lanes> lanes) {
    if constexpr (Lanes == 4)
      return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
    else
      return sum_of<Lanes / 2>(first_half(lanes) + second_half(lanes));
  }
  template <int Lanes>
  BEATSCAN_INLINE static float least_of(Floats<Lanes> lanes) {
    if constexpr (Lanes == 4) {
      return std::min(std::min(lanes[0], lanes[1]), std::min(lanes[2], lanes[3]));
    } else {
      const auto a = first_half(lanes), b = second_half(lanes);
      return least_of<Lanes / 2>(a < b ? a : b);
    }
  }

  const float* window_;
  float least_, greatest_;
};

struct TakeOffMedian {
  template <int W>
  BEATSCAN_INLINE static void run(float* window) {
    const float median = median_of(WindowValues<W>(window), kValues);
#pragma GCC unroll 20
    for (int k = 0; k < kValues; k += W) store<W>(window + k, load<W>(window + k) - median);
  }
};

}  // namespace

void take_off_median(float* window) { OnProcessor<TakeOffMedian>::run(window); }

}  // namespace beatscan::waves
