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

#include "kernels/runtime/buffer.h"
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
//   levels   [M] the lead's baseline, see baseline.h
//   table    of the lead's rate
//   r        [B] the sample, with its fraction, at which value 125 lies; -1e9 .. N + 1e9, in any order
//   windows  [B][320] mV, minus their medians
void cut_windows(Cpu&, const LeadSignal& lead, std::span<const double> levels, const SamplingTable<Cpu>& table,
                 std::span<const double> r, std::span<float> windows);
void cut_windows(Cuda&, const LeadSignal& lead, std::span<const double> levels, const SamplingTable<Cuda>& table,
                 std::span<const double> r, std::span<float> windows);

}  // namespace beatscan::waves
