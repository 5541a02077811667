// kernels/features/beat_shapes.h — measures of the shape of single beats in one lead: QRS complex, T wave, P window.
//
// A value is 8 ms: windows of 250 values a second (kernels/waves/window.h), means of two neighbours. R lies at
// value 62.
//   QRS  -104 .. +128 ms      T  +104 .. +448 ms      P window  -288 .. -72 ms      line  -96 .. -64 ms
// All distances and heights are over the range of the dominant beat's QRS complex in this lead. Noise is the median
// |second difference| of the T part. A correlation is Pearson's, and 0 where one side is flat.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/runtime/buffer.h"

namespace beatscan::features {

inline constexpr int kValues = 160;                  // of a window
inline constexpr int kRValue = 62;                   // at R
inline constexpr double kHz = 125;                   // values a second
inline constexpr int kQrsValues = 29;                // of the QRS part
inline constexpr int kReach = 24;                    // beats on either side of a block that its local beat is made of
inline constexpr int kBlock = 16;                    // beats that share a local beat
inline constexpr int kNeighbours = kReach + kBlock;  // beats on either side of a range that must be known

enum ShapeMeasure : int {
  kQrsCorrelation,       // of the QRS part with that of the dominant beat
  kQrsLocalCorrelation,  // with the local beat
  kQrsPrevCorrelation,   // with the previous beat; NaN without one
  kQrsNextCorrelation,   // with the next beat; NaN without one
  kQrsDistance,          // root mean square difference from the dominant beat, both minus their line
  kQrsLocalDistance,     // the same from the local beat, both minus their mean
  kQrsHeight,            // range of the QRS part
  kQrsWidth,             // time in which the middle 90 % of the slope's energy lies, within -160 .. +208 ms, s
  kQrsArea,              // area of |x - line| over its largest value, within -104 .. +160 ms, s
  kQrsPositive,          // share of the range that lies above the line
  kQrsHighShare,         // share of the power of the QRS part (Hann window) above 18 Hz
  kTCorrelation,         // of the T part with the local beat
  kTDistance,            // root mean square difference from it, both minus their mean
  kNoiseLevel,
  kPCorrelation,     // of the P window, minus its straight line, with the local beat
  kPProjection,      // size of the local beat's P window in this one, -1 .. 2
  kPLocalHeight,     // range of the local beat's P window
  kPDistance,        // root mean square difference of the P windows
  kPCoherence,       // energy of the mean of the P windows of 4 beats on either side over their mean energy
  kLobe,             // height of the largest peak of 100 ms within the P window
  kLobePlace,        // its centre before R, s
  kLeastLobe,        // height of the smallest such peak
  kLocalLobe,        // height of the largest peak of the local beat
  kLocalLobePlace,   // its centre, s
  kTDeparture,       // root mean square departure from the local T wave in -256 .. -80 ms: a P wave on the T wave
  kAlikeShare,       // share of the sample whose QRS part correlates by more than 0.92
  kAlikeRatio,       // mean RR ratio of these, 1 of none
  kAlikeEarlyShare,  // share of them that is premature
  kShapeMeasures
};

// What beats of a lead are compared with.
struct LeadReference {
  std::vector<float> dominant;         // [160] the dominant beat, mV
  std::vector<float> sample;           // [S][29] QRS parts of some beats by unit_qrs (beat_measures.h)
  std::vector<float> sample_ratio;     // [S] RR interval before the beat over the local median
  std::vector<std::uint8_t> is_early;  // [S] 1 for a premature one
};

// halves[w][k] = (windows[w][2 k] + windows[w][2 k + 1]) / 2
//   windows  [W][320]
//   halves   [W][160]
void halve_windows(Cpu&, std::span<const float> windows, std::span<float> halves);
void halve_windows(Cuda&, std::span<const float> windows, std::span<float> halves);

// Correlates the QRS part of each window with that of `reference`.
//   windows       [W][160]
//   reference     [160]
//   correlations  [W]
void qrs_correlations(Cpu&, std::span<const float> windows, std::span<const float> reference,
                      std::span<float> correlations);
void qrs_correlations(Cuda&, std::span<const float> windows, std::span<const float> reference,
                      std::span<float> correlations);

// The beats first .. first + B - 1 of a recording of K, and their neighbours. `first` is a multiple of kBlock, and so
// is B except in the last range. The lists are in the context's memory.
struct ShapeRange {
  std::int64_t first, skip, beats;         // skip: windows before the first beat, up to kNeighbours
  std::span<const float> windows;          // [W][160] with up to kNeighbours on either side, all there are at the ends
  std::span<const std::uint8_t> dominant;  // [W] 1 for beats of the dominant shape that are not premature
  std::span<const float> rr_s;             // [W] RR interval before the beat
};

// Measures beats. The local beat of a block of 16 is the median of its own beats and of those of kReach on either side
// that are dominant and correlate by more than 0.9 with the dominant beat; of fewer than 5 such beats, of all. Both
// back ends and any number of threads give the same bits.
//   measures  [B][kShapeMeasures] in the context's memory
void beat_shapes(Cpu&, const ShapeRange& range, const LeadReference& reference, std::span<float> measures);
void beat_shapes(Cuda&, const ShapeRange& range, const LeadReference& reference, std::span<float> measures);

}  // namespace beatscan::features
