// kernels/waves/cut_windows.h — windows of one lead at 250 values a second, straight from the recording's rate.
//
//   value k lies at the sample p = r + (k - 125) rate / 250
//   it is the mean of y = x - baseline over the samples i with |i - p| < H, with the weights
//     sinc(2 f (i - p)) (1 + cos(pi (i - p) / H)) / 2,   H = 4 rate / min(rate, 250),   f = 0.8 min(rate / 2, 125) /
//     rate
//   samples beyond the ends are the first and the last; samples in gaps do not count; a value with less than half of
//   its weight on samples that are present is missing and takes the median of the window's other values
//   finally the window's median (of 320 values: the mean of the middle two) is subtracted from all values
// A window without any value is 0.
//
// The weights come from a table with a row for each of `phases` fractions of p, which both back ends use alike. Values
// between two rows are interpolated. That is a straight line between exact values which lie 7.6 us or less from each
// other: of a 1 mV wave of 30 Hz it is at most 3e-7 mV off, of one of 100 Hz 3e-6 mV. Windows of the two back ends
// differ by roundings, at most 2e-6 of the largest |y| nearby.
#pragma once

#include <cmath>

#include "kernels/runtime/buffer.h"
#include "kernels/waves/amplitudes.h"
#include "kernels/waves/window.h"

namespace beatscan::waves {

// Row q has the weights at the distances t - before - q / phases of a sample. Each row adds up to 1.
template <class Context>
struct SamplingTable {
  int taps = 0;                    // 2 ceil(H), filled up with zeros to a multiple of 4
  int before = 0;                  // samples before floor(p): the first weight is that of sample floor(p) - before
  int phases = 0;                  // a power of two
  Buffer<float, Context> weights;  // [phases + 1][taps]
};

// Makes the table for a sampling rate of kLeastRateHz .. kMostRateHz. It takes a millisecond.
SamplingTable<Cpu> sampling_table(Cpu&, double rate_hz);
SamplingTable<Cuda> sampling_table(Cuda&, double rate_hz);

// Cuts windows of one lead.
//   levels   [M] the lead's baseline, see amplitudes.h
//   table    of the lead's rate
//   r        [B] the sample, with its fraction, at which value 125 lies; -1e9 .. N + 1e9, in any order
//   windows  [B][320] mV, minus their medians
void cut_windows(Cpu&, const LeadSignal& lead, std::span<const double> levels, const SamplingTable<Cpu>& table,
                 std::span<const double> r, std::span<float> windows);
void cut_windows(Cuda&, const LeadSignal& lead, std::span<const double> levels, const SamplingTable<Cuda>& table,
                 std::span<const double> r, std::span<float> windows);

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
