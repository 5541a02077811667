// stages/features/column_groups.h — the groups of columns of the beat table. Each has a file of its own, where its
// columns are documented.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "stages/features/columns.h"

namespace beatscan {

struct AcceptedIntervals;
struct TableBeats;

inline constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();  // of a value that does not exist

// Measures of the beats of each lead, [K][features::kShapeMeasures], and which beats are of the dominant shape.
struct LeadShapes {
  std::vector<std::vector<float>> leads;  // [L]
  std::vector<double> amplitude_mv;       // [L] range of the dominant beat's QRS complex
  std::vector<std::uint8_t> dominant;     // [K] 1 for beats of the dominant shape that are not premature
};

// RR intervals, and each over the local median.
struct LocalIntervals {
  std::span<const double> rr_s;  // [K]
  std::vector<double> median_s;  // [K] of 16 on either side
  std::vector<double> ratio;     // [K]
};
LocalIntervals local_intervals(std::span<const double> rr_s);

// The RR interval before the beat against others.
void add_interval_columns(const LocalIntervals& local, FeatureColumns& columns);

// Interval measures that distinguish atrial fibrillation from other rhythms, and the odds that follow.
void add_fibrillation_columns(std::span<const double> rr_s, FeatureColumns& columns);

// The interval against the reference of accepted beats.
void add_accepted_columns(std::span<const double> rr_s, const AcceptedIntervals& accepted, FeatureColumns& columns);

// Shapes, fused over leads, and the largest values over leads.
void add_shape_columns(const LeadShapes& shapes, FeatureColumns& columns);

// The template of the beat: its size, times and mean shape. It needs the columns of shapes.
//   ratio  [K] RR interval before the beat over the local median
void add_template_columns(const TableBeats& beats, std::span<const double> ratio,
                          const std::vector<FeatureColumn>& shapes, FeatureColumns& columns);

// P, QRS and T waves.
void add_wave_columns(const TableBeats& beats, std::span<const double> rr_s, FeatureColumns& columns);

// Noise, the parts of the ranking, and pacing spikes.
void add_signal_columns(const TableBeats& beats, const LeadShapes& shapes, FeatureColumns& columns);

// The signal-quality index at the beat, over the leads that rows were cut of. Its probabilities are interpolated
// linearly between the middles of blocks.
void add_quality_columns(const TableBeats& beats, FeatureColumns& columns);

}  // namespace beatscan
