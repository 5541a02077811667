// stages/classify/columns.h — the groups of columns of the beat table: what each column is called, and how a group is
// made on a context. The kernels of a group (kernels/features) number its columns, in the order of the names here.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/features/interval_columns.h"
#include "kernels/runtime/buffer.h"

namespace beatscan {

template <class Context>
struct Recording;
template <class Context>
struct TableBeats;

struct ColumnText {
  std::string name;
  std::string unit;  // empty: a ratio, a logarithm of one, a share or a correlation
  std::string text;  // one line
};
using ColumnTexts = std::vector<ColumnText>;

// What the columns of each group are called, in the order of the table.
ColumnTexts interval_texts();
ColumnTexts fibrillation_texts();
ColumnTexts reference_texts();
ColumnTexts template_texts();
ColumnTexts wave_texts();
ColumnTexts signal_texts();
ColumnTexts quality_texts();
ColumnTexts shape_texts();

// Odds of atrial fibrillation by intervals.
const features::FibrillationOdds& fibrillation_odds();

// The row and the template of each beat, [K]; negative where it has none.
template <class Context>
struct BeatRows {
  BeatRows(Context& context, const TableBeats<Context>& beats);

  Buffer<std::int64_t, Context> kept;  // [B]
  Buffer<std::int32_t, Context> row;
  Buffer<std::int16_t, Context> group;
};

// Measures all beats in the leads, and writes the columns of shapes. The dominant shape is that of the template with
// most beats that are not premature. Returns the largest height of a lead's dominant QRS complex in mV.
//   r_peaks, ratio  [K] RR interval before the beat over the local median
//   columns         [kShapeColumns][K]
template <class Context>
double add_shape_columns(Context&, const Recording<Context>& recording, const TableBeats<Context>& beats,
                         std::span<const double> r_peaks, std::span<const double> ratio, const BeatRows<Context>& rows,
                         std::span<float> columns);

// Writes the columns of waves.
//   columns  [kWaveColumns][K]
template <class Context>
void add_wave_columns(Context&, const TableBeats<Context>& beats, std::span<float> columns);

}  // namespace beatscan
