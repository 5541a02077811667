#include "kernels/features/shape_columns.h"

#include <cmath>

#include "kernels/features/beat_shapes.h"
#include "kernels/features/beat_sums.h"
#include "kernels/features/columns.h"
#include "kernels/runtime/buffer.h"
#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"

namespace beatscan::features {
namespace {

BEATSCAN_HOST_DEVICE inline double log_unlike(double correlation) { return std::log(1.02 - correlation); }
BEATSCAN_HOST_DEVICE inline double log_of(double value) { return std::log(value + 0.01); }

// Writes the values of a beat in a lead.
//   x        [kShapeMeasures] its measures
//   medians  [kShapeMeasures]
BEATSCAN_HOST_DEVICE inline void write_values(const float* x, const double* medians, double* values) {
  values[kDissimilarity] = log_unlike(x[kQrsCorrelation]);
  values[kDissimilarityLocal] = log_unlike(x[kQrsLocalCorrelation]);
  values[kDissimilarityPrevious] = log_unlike(x[kQrsPrevCorrelation]);
  values[kDissimilarityNext] = log_unlike(x[kQrsNextCorrelation]);
  values[kDistance] = log_of(x[kQrsDistance]);
  values[kDistanceLocal] = log_of(x[kQrsLocalDistance]);
  values[kHeight] = std::log(x[kQrsHeight] + 0.02);
  values[kWidthRatio] = std::log(x[kQrsWidth] / larger(medians[kQrsWidth], 0.03));
  values[kWidth] = x[kQrsWidth];
  values[kAreaRatio] = std::log((x[kQrsArea] + 0.005) / (medians[kQrsArea] + 0.005));
  values[kPolarity] = std::abs(x[kQrsPositive] - medians[kQrsPositive]);
  values[kHighFrequencyRatio] = std::log((x[kQrsHighShare] + 0.01) / (medians[kQrsHighShare] + 0.01));
  values[kTWaveCorrelation] = x[kTCorrelation];
  values[kTWaveDistance] = log_of(x[kTDistance]);
  values[kSimilarShare] = std::log(x[kAlikeShare] + 0.002);
  values[kSimilarRatio] = std::log(x[kAlikeRatio]);
  values[kSimilarPrematureShare] = x[kAlikeEarlyShare];
  values[kNoise] = std::log(x[kNoiseLevel] + 0.003);
  values[kNoiseRatio] = std::log((x[kNoiseLevel] + 0.003) / (medians[kNoiseLevel] + 0.003));
  values[kPWaveCorrelation] = x[kPCorrelation];
  values[kPWaveProjection] = x[kPProjection];
  values[kPWaveHeightLocal] = log_of(x[kPLocalHeight]);
  values[kPWaveDistance] = std::log(x[kPDistance] + 0.005);
  values[kPWaveCoherence] = x[kPCoherence];
  values[kPeakHeight] = within(static_cast<double>(x[kLobe]), -0.1, 0.6);
  values[kPeakHeightChange] = within(static_cast<double>(x[kLobe] - x[kLocalLobe]), -0.4, 0.4);
  values[kPeakPlace] = x[kLobePlace];
  values[kPeakShift] = x[kLobePlace] - x[kLocalLobePlace];
  values[kTroughHeight] = within(static_cast<double>(x[kLeastLobe]), -0.6, 0.1);
  values[kTDeviation] = log_of(x[kTDeparture]);
}

constexpr std::uint32_t largest_bits() {
  std::uint32_t bits = 0;
  for (int k = 0; k < kShapeValues; ++k) bits |= has_largest(k) ? 1u << k : 0u;
  return bits;
}
constexpr std::uint32_t kLargestBits = largest_bits();

struct WriteShapes {
  std::int64_t leads;
  const float* measures;
  const double* medians;
  ColumnsView out;

  BEATSCAN_HOST_DEVICE const float* of(std::int64_t lead, std::int64_t beat) const {
    return measures + (lead * out.beats + beat) * kShapeMeasures;
  }
  // The less noise a lead has, the more it weighs.
  BEATSCAN_HOST_DEVICE double weight(std::int64_t lead, std::int64_t beat) const {
    const double noise = of(lead, beat)[kNoiseLevel] + 0.005;
    return 1 / (noise * std::sqrt(noise));
  }

  BEATSCAN_HOST_DEVICE void operator()(std::int64_t beat) const {
    double all = 0, sums[kShapeValues] = {}, largest[kShapeValues], values[kShapeValues];
    for (int k = 0; k < kShapeValues; ++k) largest[k] = -INFINITY;
    for (std::int64_t l = 0; l < leads; ++l) all += weight(l, beat);
    for (std::int64_t l = 0; l < leads; ++l) {
      const double share = weight(l, beat) / all;
      write_values(of(l, beat), medians + l * kShapeMeasures, values);
      for (int k = 0; k < kShapeValues; ++k) {
        sums[k] += share * values[k];
        largest[k] = l == 0 ? values[k] : larger(largest[k], values[k]);
      }
    }
    int column = 0;
    for (int k = 0; k < kShapeValues; ++k) {
      out.set(column++, beat, sums[k]);
      if (kLargestBits >> k & 1) out.set(column++, beat, largest[k]);
    }
  }
};

// The series of a beat that are added up over the beats of its template.
enum TemplateSeries : int { kBeats, kEarly, kLate, kLogRatio, kShapeMean, kSeries = kShapeMean + 4 };
static_assert(kSeries <= kMostSeries);
constexpr double kLateRatio = 1.15;

struct WriteSeries {
  const std::int16_t* group;
  const double* ratio;
  const float* shapes;
  double* series;
  std::int64_t beats;
  MeanShapes means = {};

  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    const bool counts = group[i] >= 0;
    series[kBeats * beats + i] = counts ? 1 : 0;
    series[kEarly * beats + i] = counts && ratio[i] < kPrematureRatio ? 1 : 0;
    series[kLate * beats + i] = counts && ratio[i] > kLateRatio ? 1 : 0;
    series[kLogRatio * beats + i] = counts ? std::log(ratio[i]) : 0;
    for (int k = 0; k < 4; ++k) {
      const float value = counts ? shapes[means.columns[k] * beats + i] : 0;
      series[(kShapeMean + k) * beats + i] = value < -5.0F ? -5.0F : 5.0F < value ? 5.0F : value;
    }
  }
};

struct WriteTemplates {
  const std::int16_t* group;
  const std::int32_t* row;
  const float* distance;
  const double* sums;
  ColumnsView out;

  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    if (group[i] < 0) {
      for (int c = 0; c < kTemplateColumns; ++c) out.set(c, i, NAN);
      return;
    }
    const double *own = sums + group[i] * kSeries, beats = own[kBeats];
    out.set(kTemplate, i, group[i]);
    out.set(kTemplateShare, i, std::log(beats / static_cast<double>(out.beats) + 0.002));
    for (int k = kEarly; k < kSeries; ++k)
      out.set(int{kTemplatePrematureShare} + k - kEarly, i, own[k] / larger(beats, 1.0));
    out.set(kTemplateDeviation, i, std::log(distance[row[i]] + 0.01));
  }
};
static_assert(int{kTemplateDeviation} - int{kTemplatePrematureShare} == int{kSeries} - int{kEarly});

}  // namespace

void shape_columns(BackEnd& context, std::int64_t leads, std::span<const float> measures,
                   std::span<const double> medians, std::span<float> columns) {
  const auto beats = static_cast<std::int64_t>(columns.size()) / kShapeColumns;
  BEATSCAN_EXPECTS(static_cast<std::int64_t>(measures.size()) == leads * beats * kShapeMeasures &&
                       static_cast<std::int64_t>(medians.size()) == leads * kShapeMeasures,
                   "shape_columns: bad shape");
  each(context, beats, WriteShapes{leads, measures.data(), medians.data(), view_of(columns, kShapeColumns, beats)},
       256);
}

void template_columns(BackEnd& context, const BeatTemplateLists& lists, std::span<const float> shapes,
                      std::span<float> columns) {
  const auto beats = static_cast<std::int64_t>(lists.ratio.size());
  BEATSCAN_EXPECTS(lists.group.size() == lists.ratio.size() && lists.row.size() == lists.ratio.size() &&
                       static_cast<std::int64_t>(shapes.size()) == kShapeColumns * beats,
                   "template_columns: bad shape");
  const ColumnsView out = view_of(columns, kTemplateColumns, beats);
  Buffer<double, BackEnd> series(context, kSeries * beats), sums(context, kSeries * (kGroups + 1));
  each(context, beats, WriteSeries{lists.group.data(), lists.ratio.data(), shapes.data(), series.data(), beats}, 2048);
  beat_sums(context, lists.group, series, sums);
  each(context, beats, WriteTemplates{lists.group.data(), lists.row.data(), lists.distance.data(), sums.data(), out},
       2048);
}

void template_counts(BackEnd& context, std::span<const std::int16_t> group, std::span<const double> ratio,
                     std::span<double> sums) {
  const auto beats = static_cast<std::int64_t>(ratio.size());
  BEATSCAN_EXPECTS(group.size() == ratio.size(), "template_counts: bad shape");
  Buffer<double, BackEnd> series(context, 2 * beats);
  each(context, beats, [ratio = ratio.data(), series = series.data(), beats] BEATSCAN_DEVICE(std::int64_t i) {
    series[i] = 1;
    series[beats + i] = ratio[i] < kPrematureRatio ? 1 : 0;
  });
  beat_sums(context, group, series, sums);
}

void mark_template(BackEnd& context, std::span<const std::int16_t> group, std::span<const double> ratio, int wanted,
                   bool on_time, std::span<std::uint8_t> marked) {
  BEATSCAN_EXPECTS(group.size() == ratio.size() && marked.size() == ratio.size(), "mark_template: bad shape");
  each(context, static_cast<std::int64_t>(ratio.size()),
       [=, group = group.data(), ratio = ratio.data(), marked = marked.data()] BEATSCAN_DEVICE(std::int64_t i) {
         marked[i] = group[i] == wanted && (!on_time || ratio[i] >= kPrematureRatio);
       });
}

void rows_of_beats(BackEnd& context, std::span<const std::int64_t> kept, std::span<const std::uint8_t> template_of,
                   std::span<std::int32_t> row, std::span<std::int16_t> group) {
  BEATSCAN_EXPECTS(kept.size() == template_of.size() && row.size() == group.size() && kept.size() <= row.size(),
                   "rows_of_beats: bad shape");
  each(context, static_cast<std::int64_t>(row.size()),
       [row = row.data(), group = group.data()] BEATSCAN_DEVICE(std::int64_t i) {
         row[i] = -1;
         group[i] = -1;
       });
  each(context, static_cast<std::int64_t>(kept.size()),
       [kept = kept.data(), of = template_of.data(), row = row.data(),
        group = group.data()] BEATSCAN_DEVICE(std::int64_t b) {
         row[kept[b]] = static_cast<std::int32_t>(b);
         group[kept[b]] = of[b];
       });
}

}  // namespace beatscan::features
