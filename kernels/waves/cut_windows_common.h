// kernels/waves/cut_windows_common.h — what both back ends of cut_windows share.
#pragma once

#include "kernels/waves/baseline.h"
#include "kernels/waves/cut_windows.h"

namespace beatscan::waves {

// A lead and its baseline.
struct BaselinedLead {
  const float* samples;
  std::int64_t count, block, blocks;
  const double* levels;
  LeadGaps gaps;
  double mv_per_unit;

  BEATSCAN_HOST_DEVICE std::int64_t inside(std::int64_t i) const { return i < 0 ? 0 : i < count ? i : count - 1; }
  // Returns the centre of a block, in samples.
  BEATSCAN_HOST_DEVICE double centre(std::int64_t j) const {
    const std::int64_t first = j * block, size = count - first < block ? count - first : block;
    return static_cast<double>(first) + 0.5 * static_cast<double>(size - 1);
  }
  // Returns the first sample that is not before a block's centre.
  BEATSCAN_HOST_DEVICE std::int64_t from_centre(std::int64_t j) const {
    const std::int64_t first = j * block, size = count - first < block ? count - first : block;
    return first + size / 2;
  }
  // Returns the last block whose centre is not after sample i, which is one of the recording; -1 if there is none.
  BEATSCAN_HOST_DEVICE std::int64_t block_before(std::int64_t i) const {
    if (static_cast<double>(i) >= centre(blocks - 1)) return blocks - 1;
    return 2 * i < block - 1 ? -1 : (2 * i - (block - 1)) / (2 * block);
  }
};

// The baseline between the centres of two neighbouring blocks: a straight line; beyond the first and the last centre it
// is level.
struct BaselinePiece {
  double level, slope, centre;
  BEATSCAN_HOST_DEVICE float without(float sample, std::int64_t i, double mv_per_unit) const {
    return static_cast<float>((sample - (level + (static_cast<double>(i) - centre) * slope)) * mv_per_unit);
  }
};
BEATSCAN_HOST_DEVICE inline BaselinePiece piece_of(const BaselinedLead& lead, std::int64_t j) {
  if (j < 0) return {lead.levels[0], 0, 0};
  const double level = lead.levels[j];
  if (j + 1 >= lead.blocks) return {level, 0, 0};
  const double centre = lead.centre(j);
  return {level, (lead.levels[j + 1] - level) / (lead.centre(j + 1) - centre), centre};
}

// Where the values of a window lie. The window's samples are those from `first` on; q is a place among them.
struct WindowPlaces {
  std::int64_t first;
  double at_zero, step;  // value k lies at the sample first + at_zero + k step
};
BEATSCAN_HOST_DEVICE inline WindowPlaces places_of(double r, double step, int before) {
  const double start = r - kRValue * step, whole = floor(start);
  return {static_cast<std::int64_t>(whole) - before, start - whole + before, step};
}

// The weights of a value: rows of the table, and how far the value is from the first to the second.
struct TableRows {
  int sample;  // of the window, to which the first weight belongs
  int row;
  float share;
};
BEATSCAN_HOST_DEVICE inline TableRows rows_of(double place, int before, int phases) {
  const int whole = static_cast<int>(place);
  const double phase = (place - whole) * phases;
  const int row = static_cast<int>(phase);
  return {whole - before, row, static_cast<float>(phase - row)};
}

// Returns how many samples a window needs.
inline int samples_of_window(double rate_hz, int taps) {
  return static_cast<int>((kValues - 1) * rate_hz / kValuesHz) + taps + 2;
}

// A value counts as missing below this share of its weight. Half of it, less what roundings amount to.
inline constexpr float kLeastWeight = 0.5f - 1e-5f;

// Makes the checks that both back ends share, and returns the lead with its baseline.
BaselinedLead checked_lead(const LeadSignal& lead, std::span<const double> levels, int taps, std::int64_t r,
                           std::int64_t windows);

// Computes the table's weights, [phases + 1][taps], and its shape.
SamplingTable<Cpu> shape_of_table(double rate_hz);
std::vector<float> table_weights(double rate_hz);

}  // namespace beatscan::waves
