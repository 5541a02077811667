// kernels/features/interval_columns.h — columns of the beat table that are made of RR intervals alone.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"

namespace beatscan::features {

inline constexpr int kMedianReaches[] = {4, 16, 64}, kMeanReaches[] = {5, 16, 64};
inline constexpr int kLags = 3;  // 1 and more beats
inline constexpr double kQuantiles[] = {0.25, 0.75, 0.9};

enum IntervalColumn : int {
  kRr,
  kRrMedian,
  kRrRecording,
  kRrRecordingMean,
  kRrRank,
  kRrLocal,                    // and kRrNextLocal, in turn for each of kMedianReaches
  kRrQuantile = kRrLocal + 6,  // of each of kQuantiles
  kRrMean = kRrQuantile + 3,   // of each of kMeanReaches
  kRrPrevious = kRrMean + 3,
  kRrNext,
  kRrPair,
  kRrBefore3,
  kRrBefore2,
  kRrBefore1,
  kRrAfter2,
  kRrAfter3,
  kRrChangeLag,  // of each lag
  kRrSpread = kRrChangeLag + kLags,
  kPrematureShareLocal,
  kPrematureShare,
  kRrRecordingQ90,
  kRrRecordingQ10,
  kIntervalColumns
};

// Measures that distinguish atrial fibrillation from other rhythms, and their odds.
enum FibrillationColumn : int {
  kLeastChange8,
  kChange8,
  kLeastChange24,
  kChange24,
  kChangeLag2,
  kChangingShare,
  kIrregularShare,
  kJumpShare,
  kCorrelationLag1,
  kCorrelationLag2,
  kPower,
  kFibrillationLogOdds,
  kFibrillationColumns
};
inline constexpr int kFibrillationMeasures = kFibrillationLogOdds;
inline constexpr int kRrColumns = int{kIntervalColumns} + int{kFibrillationColumns};

// Logistic regression of the measures, each standardised by its mean and deviation.
struct FibrillationOdds {
  struct Weight {
    double mean, deviation, weight;
  } weights[kFibrillationMeasures];
  double intercept, most_odds;
};

// Local medians, and each RR interval over its own, [K] each.
struct LocalIntervals {
  std::span<double> median_s;  // of 16 on either side
  std::span<double> ratio;
};

// Computes the local intervals and both groups of columns.
//   rr_s     [K]
//   columns  [kRrColumns][K], those of intervals first
void interval_columns(Cpu&, std::span<const double> rr_s, const FibrillationOdds& odds, const LocalIntervals& local,
                      std::span<float> columns);
void interval_columns(Cuda&, std::span<const double> rr_s, const FibrillationOdds& odds, const LocalIntervals& local,
                      std::span<float> columns);

}  // namespace beatscan::features
