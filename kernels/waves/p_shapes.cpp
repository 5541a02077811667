#include "kernels/waves/p_shapes.h"

#include <cmath>

#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"
#include "kernels/templates/shape_sums.h"
#include "kernels/waves/beat_waves.h"

namespace beatscan::waves {
namespace {

// Item i is a beat.
struct TakeShape {
  const float* windows;
  const float* fused;
  std::int64_t lead, leads;
  float* shapes;

  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    const float* window = windows + i * kValues;
    const float* own = fused + i * kFiducials;
    const double onset = double{own[kPOnset]} + kRValue, offset = double{own[kPOffset]} + kRValue;
    float* shape = shapes + (i * leads + lead) * kShapeValues;
    const bool inside = onset >= 0 && offset <= kValues - 1 && onset < offset;  // false for NaN
    double sum = 0;
    for (int j = 0; j < kShapeValues; ++j) {
      float value = NAN;
      if (inside) {
        const double place = onset + (offset - onset) * j / (kShapeValues - 1);
        const int below = place < kValues - 2 ? static_cast<int>(place) : kValues - 2;
        value = interpolate(window[below], window[below + 1], static_cast<float>(place - below));
      }
      shape[j] = value;
      sum += value;
    }
    const auto mean = static_cast<float>(sum / kShapeValues);
    for (int j = 0; j < kShapeValues; ++j) shape[j] -= mean;
  }
};

}  // namespace

void p_shapes(BackEnd& context, std::span<const float> windows, std::span<const float> fused, std::int64_t lead,
              std::span<float> shapes) {
  const auto beats = static_cast<std::int64_t>(windows.size()) / kValues;
  const std::int64_t leads = beats > 0 ? static_cast<std::int64_t>(shapes.size()) / (beats * kShapeValues) : 0;
  BEATSCAN_EXPECTS(windows.size() % kValues == 0 && static_cast<std::int64_t>(fused.size()) == beats * kFiducials &&
                       static_cast<std::int64_t>(shapes.size()) == beats * leads * kShapeValues &&
                       (beats == 0 || (0 <= lead && lead < leads)),
                   "p_shapes: bad shape");
  each(context, beats, TakeShape{windows.data(), fused.data(), lead, leads, shapes.data()}, kBeatGrain);
}

void unit_shapes(BackEnd& context, std::span<float> shapes, std::span<std::uint8_t> groups) {
  const auto beats = static_cast<std::int64_t>(groups.size());
  BEATSCAN_EXPECTS(beats == 0 ? shapes.empty() : shapes.size() % groups.size() == 0, "unit_shapes: bad shape");
  if (beats == 0) return;
  each(
      context, beats,
      [size = static_cast<std::int64_t>(shapes.size()) / beats, shapes = shapes.data(),
       groups = groups.data()] BEATSCAN_DEVICE(std::int64_t b) {
        float* shape = shapes + b * size;
        double squares = 0;
        for (std::int64_t d = 0; d < size; ++d) squares += double{shape[d]} * shape[d];
        const bool usable = squares > 1e-12;  // false for NaN; 1e-6 mV is flat
        const double scale = usable ? 1 / sqrt(squares) : 0;
        for (std::int64_t d = 0; d < size; ++d) shape[d] = usable ? static_cast<float>(shape[d] * scale) : 0;
        groups[b] = usable ? 0 : kNoGroup;
      },
      kBeatGrain);
}

void p_similarity(BackEnd& context, std::span<const float> shapes, std::span<const std::uint8_t> groups,
                  std::span<const std::int64_t> sums, std::span<float> similarity) {
  const auto beats = static_cast<std::int64_t>(similarity.size()), size = static_cast<std::int64_t>(sums.size());
  BEATSCAN_EXPECTS(groups.size() == similarity.size() && static_cast<std::int64_t>(shapes.size()) == beats * size,
                   "p_similarity: bad shape");
  each(
      context, beats,
      [size, shapes = shapes.data(), groups = groups.data(), sums = sums.data(),
       similarity = similarity.data()] BEATSCAN_DEVICE(std::int64_t b) {
        double product = 0, squares = 0;
        for (std::int64_t d = 0; d < size; ++d) {
          const auto dominant = static_cast<double>(sums[d]);
          product += dominant * shapes[b * size + d];
          squares += dominant * dominant;
        }
        const bool there = groups[b] != kNoGroup && squares > 0;
        similarity[b] = there ? static_cast<float>(product / sqrt(squares)) : NAN;
      },
      kBeatGrain);
}

}  // namespace beatscan::waves
