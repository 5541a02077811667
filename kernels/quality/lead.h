// kernels/quality/lead.h — a lead whose quality is measured: its blocks of two seconds, and its values at 125 Hz.
// docs/quality.md specifies what this room computes, and scripts/quality is the reference.
//
// N samples, K blocks. Both back ends round each operation, in the same order: they give the same bits. Files for the
// GPU are compiled without fused multiply-add.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/runtime/buffer.h"
#include "kernels/runtime/portable.h"

namespace beatscan::quality {

inline constexpr double kValuesHz = 125, kBlockS = 2;
inline constexpr int kBlockValues = 250, kPartValues = 25, kParts = kBlockValues / kPartValues;
inline constexpr int kPhases = 256;  // rows of the table of weights, for places between two samples
inline constexpr double kLeastRateHz = 20, kMostRateHz = 20000;

// Taps on either side of the middle one.
inline constexpr int kWaveReach = 8, kMuscleReach = 12, kQrsReach = 20, kEnvelopeReach = 4, kBaselineReach = 4;

// What is computed once for a sampling rate, in the context's memory.
template <class Context>
struct Tables {
  int taps = 0, before = 0;        // of a row of weights, a multiple of 8; samples before a place that it begins at
  Buffer<float, Context> weights;  // [kPhases + 1][taps]
  Buffer<float, Context> filters;  // see Filters
};

// Filters in one array: halves of symmetric taps from the middle one on, weights of parts, and for 50 and 60 Hz cosines
// and sines with a Hann window.
struct Filters {
  float wave[kWaveReach + 1], muscle[kMuscleReach + 1], qrs[kQrsReach + 1], baseline[2 * kBaselineReach + 1];
  float mains[4][kBlockValues];
};

Tables<Cpu> quality_tables(Cpu&, double rate_hz);
Tables<Cuda> quality_tables(Cuda&, double rate_hz);

// The tables on the host. Throws ErrorKind::internal for a rate outside of kLeastRateHz .. kMostRateHz.
struct HostTables {
  int taps = 0, before = 0;
  std::vector<float> weights, filters;
};
HostTables host_tables(double rate_hz);

// Returns the number of blocks of a lead with N >= 1 samples, at least 1.
std::int64_t block_count(std::int64_t samples, double rate_hz);

// A lead in a context's memory. It refers to arrays that live longer.
struct LeadView {
  const float* samples;
  std::int64_t count;                          // N
  const std::int64_t *gap_firsts, *gap_lasts;  // first and last missing sample of each gap, ascending
  std::int64_t gaps;
  double rate_hz;
  float mv_per_unit;
  std::int64_t blocks;  // K
  const float* weights;
  int taps, before;
  const Filters* filters;

  BEATSCAN_HOST_DEVICE std::int64_t values() const { return blocks * kBlockValues; }
  // Returns the first sample of a block; for K the end of the last one.
  BEATSCAN_HOST_DEVICE std::int64_t block_start(std::int64_t block) const {
    const auto start = static_cast<std::int64_t>(static_cast<double>(block) * (kBlockS * rate_hz) + 0.5);
    return start < count ? start : count;
  }
};

// Makes a view of a lead. The samples must be finite, with straight lines over the gaps.
template <class Context>
LeadView lead_of(const Tables<Context>& tables, std::span<const float> samples,
                 std::span<const std::int64_t> gap_firsts, std::span<const std::int64_t> gap_lasts, double rate_hz,
                 double mv_per_unit) {
  const auto count = static_cast<std::int64_t>(samples.size());
  return {samples.data(),
          count,
          gap_firsts.data(),
          gap_lasts.data(),
          static_cast<std::int64_t>(gap_firsts.size()),
          rate_hz,
          static_cast<float>(mv_per_unit),
          block_count(count, rate_hz),
          tables.weights.data(),
          tables.taps,
          tables.before,
          reinterpret_cast<const Filters*>(tables.filters.data())};
}

}  // namespace beatscan::quality
