// kernels/features/wave_columns.h — columns of the beat table that are made of the waves of beats, of the quality of
// the signal, and of the ranking. All lists are in the context's memory.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"

namespace beatscan::features {

enum WaveColumn : int {
  kEvidence,
  kEvidencePrevious,
  kEvidenceNext,
  kEvidenceMean1,
  kEvidenceMean5,
  kEvidenceChange,
  kPr,
  kPrChange,
  kPrDeviation,
  kPrTrend,
  kPSimilarity,
  kNonConductedP,
  kNonConductedPMean,
  kQrsMs,
  kQrsMsRatio,
  kQrsMsRatioMax,
  kQtRatio,
  kHasT,
  kTqActivity,
  kTToR,
  kWaveColumns
};

// The waves of K beats in L leads (stages/waves/waves.h).
struct WaveLists {
  std::int64_t leads;
  std::span<const double> rr_s;               // [K]
  std::span<const float> fiducials;           // [K][waves::kFiducials]
  std::span<const float> lead_fiducials;      // [L][K][waves::kFiducials]
  std::span<const float> evidence;            // [K]
  std::span<const float> similarity;          // [K]
  std::span<const float> lead_tq_mv;          // [L][K]
  std::span<const std::int64_t> before_wave;  // the beat before each P wave without a QRS complex, ascending
};

// Writes the columns.
//   columns  [kWaveColumns][K]
void wave_columns(Cpu&, const WaveLists& lists, std::span<float> columns);
void wave_columns(Cuda&, const WaveLists& lists, std::span<float> columns);

// Writes NaN to all columns.
void columns_without_value(Cpu&, std::span<float> columns);
void columns_without_value(Cuda&, std::span<float> columns);

enum QualityColumn : int { kQualityGood, kQualityGoodWorst, kQualityNoise, kQualityLost, kQualityColumns };

// The signal-quality index of some leads in blocks (stages/quality/quality_index.h).
struct QualityLists {
  std::span<const double> r_peaks;       // [K] samples
  std::span<const float> probabilities;  // [all leads][blocks][3] good, noise, lost
  std::span<const std::int64_t> leads;   // those that count
  std::int64_t blocks;
  double block_samples;
};
// Writes the columns: probabilities are interpolated linearly between the middles of blocks.
//   columns  [kQualityColumns][K]
void quality_columns(Cpu&, const QualityLists& lists, std::span<float> columns);
void quality_columns(Cuda&, const QualityLists& lists, std::span<float> columns);

enum SignalColumn : int {
  kWaveformScore,
  kRhythmScore,
  kBaselineScore,
  kNoiseFactor,
  kQrsHeightMv,
  kSpikeAtrial,
  kSpikeVentricular,
  kSignalColumns
};
struct SignalLists {
  std::span<const std::int32_t> row;                         // [K] the row of each beat; negative: none
  std::span<const float> waveform, rhythm, baseline, noise;  // [B]
  std::span<const float> atrial, ventricular;                // [K]; empty: 0
  double qrs_height;                                         // the same for all beats
};
// Writes the columns.
//   columns  [kSignalColumns][K]
void signal_columns(Cpu&, const SignalLists& lists, std::span<float> columns);
void signal_columns(Cuda&, const SignalLists& lists, std::span<float> columns);

}  // namespace beatscan::features
