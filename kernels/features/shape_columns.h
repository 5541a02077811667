// kernels/features/shape_columns.h — columns of the beat table that fuse the shapes of beats over leads.
//
// All arrays are in the context's memory.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"

namespace beatscan::features {

// The columns: each is the mean over leads, weighted by their noise. Those of which has_largest() is true have a column
// of the largest value over leads, too, which follows the mean.
enum ShapeColumn : int {
  kDissimilarity,
  kDissimilarityLocal,
  kDissimilarityPrevious,
  kDissimilarityNext,
  kDistance,
  kDistanceLocal,
  kHeight,
  kWidthRatio,
  kWidth,
  kAreaRatio,
  kPolarity,
  kHighFrequencyRatio,
  kTWaveCorrelation,
  kTWaveDistance,
  kSimilarShare,
  kSimilarRatio,
  kSimilarPrematureShare,
  kNoise,
  kNoiseRatio,
  kPWaveCorrelation,
  kPWaveProjection,
  kPWaveHeightLocal,
  kPWaveDistance,
  kPWaveCoherence,
  kPeakHeight,
  kPeakHeightChange,
  kPeakPlace,
  kPeakShift,
  kTroughHeight,
  kTDeviation,
  kShapeValues
};
constexpr bool has_largest(int value) {
  return value <= kPolarity ? value != kHeight : value == kTWaveDistance || value == kTDeviation;
}
// Returns how many columns precede that of a value.
constexpr int shape_column(int value) {
  int column = 0;
  for (int k = 0; k < value; ++k) column += has_largest(k) ? 2 : 1;
  return column;
}
inline constexpr int kShapeColumns = shape_column(kShapeValues);

// Writes the columns.
//   measures  [L][K][kShapeMeasures] see beat_shapes.h
//   medians   [L][kShapeMeasures] of each lead's measures over its dominant beats
//   columns   [kShapeColumns][K]
void shape_columns(Cpu&, std::int64_t leads, std::span<const float> measures, std::span<const double> medians,
                   std::span<float> columns);
void shape_columns(Cuda&, std::int64_t leads, std::span<const float> measures, std::span<const double> medians,
                   std::span<float> columns);

enum TemplateColumn : int {
  kTemplate,
  kTemplateShare,
  kTemplatePrematureShare,
  kTemplateLateShare,
  kTemplateRatio,
  kTemplateMeans,  // of MeanShapes
  kTemplateDeviation = kTemplateMeans + 4,
  kTemplateColumns
};
// The columns of shapes of which means over the template are taken.
struct MeanShapes {
  int columns[4] = {shape_column(kDistance) + 1, shape_column(kWidthRatio) + 1, shape_column(kAreaRatio) + 1,
                    shape_column(kHeight)};
};

// Writes the columns of the template of each beat.
//   group     [K] templates; negative: none
//   row       [K] place in `distance`; negative: none
//   distance  [B] from the template
//   ratio     [K] RR interval before the beat over the local median
//   shapes    [kShapeColumns][K]
//   columns   [kTemplateColumns][K]
struct BeatTemplateLists {
  std::span<const std::int16_t> group;
  std::span<const std::int32_t> row;
  std::span<const float> distance;
  std::span<const double> ratio;
};
void template_columns(Cpu&, const BeatTemplateLists& lists, std::span<const float> shapes, std::span<float> columns);
void template_columns(Cuda&, const BeatTemplateLists& lists, std::span<const float> shapes, std::span<float> columns);

// Sums from which the dominant template follows: how many beats each template has, and how many of them are premature.
//   sums  [kGroups + 1][2], see beat_sums.h
void template_counts(Cpu&, std::span<const std::int16_t> group, std::span<const double> ratio, std::span<double> sums);
void template_counts(Cuda&, std::span<const std::int16_t> group, std::span<const double> ratio, std::span<double> sums);

// Marks the beats of a template; without premature ones, if `on_time`.
void mark_template(Cpu&, std::span<const std::int16_t> group, std::span<const double> ratio, int wanted, bool on_time,
                   std::span<std::uint8_t> marked);
void mark_template(Cuda&, std::span<const std::int16_t> group, std::span<const double> ratio, int wanted, bool on_time,
                   std::span<std::uint8_t> marked);

// Lists the row and the template of each beat; negative where it has none.
//   kept         [B] the beat of each row, ascending
//   template_of  [B]
//   row, group   [K]
void rows_of_beats(Cpu&, std::span<const std::int64_t> kept, std::span<const std::uint8_t> template_of,
                   std::span<std::int32_t> row, std::span<std::int16_t> group);
void rows_of_beats(Cuda&, std::span<const std::int64_t> kept, std::span<const std::uint8_t> template_of,
                   std::span<std::int32_t> row, std::span<std::int16_t> group);

}  // namespace beatscan::features
