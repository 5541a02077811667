// kernels/quality/bands.h — the bands of a tile, which is some blocks of a lead, in the memory of one team: a
// thread of the CPU, or the threads of a GPU's block.
//
// docs/quality.md has the bands. Each filter is computed as far beyond the tile as the next one reaches. At an end of
// the lead it keeps the value there. A team works by these functions; all of them return when all threads are done:
//   each(begin, end, f)    calls f(i) for begin <= i < end
//   vectors(begin, end, f) the same, for Team::kWidth values at a time: up to kWidth - 1 beyond `end` may be computed
#pragma once

#include <cstdint>

#include "kernels/quality/eight.h"
#include "kernels/quality/lead.h"
#ifdef __CUDACC__
#include "kernels/runtime/launch.cuh"
#endif

// A lambda that is inlined into code for one kind of processor.
#ifdef __CUDACC__
#define BEATSCAN_INLINED
#else
#define BEATSCAN_INLINED __attribute__((always_inline))
#endif

namespace beatscan::quality {

#ifdef __CUDACC__
struct Team {
  using Values = float;
  static constexpr int kWidth = 1;
  template <class Work>
  __device__ __forceinline__ static void each(int begin, int end, const Work& work) {
    for (int i = begin + static_cast<int>(threadIdx.x); i < end; i += static_cast<int>(blockDim.x)) work(i);
    __syncthreads();
  }
  template <class Work>
  __device__ __forceinline__ static void vectors(int begin, int end, const Work& work) {
    each(begin, end, work);
  }
  __device__ __forceinline__ static float load(const float* from) { return *from; }
  __device__ __forceinline__ static void store(float* to, float value) { *to = value; }
};
#define BEATSCAN_TEAM __device__ __forceinline__
#else
template <int W>
struct OneThread {
  using Values = Floats<W>;
  static constexpr int kWidth = W;
  template <class Work>
  BEATSCAN_INLINE static void each(int begin, int end, const Work& work) {
    for (int i = begin; i < end; ++i) work(i);
  }
  template <class Work>
  BEATSCAN_INLINE static void vectors(int begin, int end, const Work& work) {
    for (int i = begin; i < end; i += W) work(i);
  }
  BEATSCAN_INLINE static Values load(const float* from) { return beatscan::load<W>(from); }
  BEATSCAN_INLINE static void store(float* to, Values value) { beatscan::store<W>(to, value); }
};
#define BEATSCAN_TEAM BEATSCAN_INLINE
#endif

inline constexpr int kMargin = 256, kMarginParts = 12;  // before and behind a tile: what filters reach, with some room
inline constexpr int kSpare = 16;                       // values behind an array that a vector may write

// Values that are needed on either side of a tile.
struct Reach {
  int wave, envelope;
  BEATSCAN_HOST_DEVICE int qrs() const { return envelope + kEnvelopeReach; }
  BEATSCAN_HOST_DEVICE int whole() const {
    const int of_wave = wave + kWaveReach, of_qrs = qrs() + kQrsReach;
    return of_wave > of_qrs ? of_wave : of_qrs;
  }
};

// Arrays of a tile. Value v of the lead is element v - origin; part p is element p - first_part.
struct Tile {
  std::int64_t first_block;
  int blocks;
  float *whole, *line, *wave, *qrs, *envelope;  // [size()]; whole is first the lead itself
  float *means, *levels;                        // [parts()] of the baseline

  BEATSCAN_HOST_DEVICE static constexpr int size(int blocks) { return blocks * kBlockValues + 2 * kMargin + kSpare; }
  BEATSCAN_HOST_DEVICE static constexpr int parts(int blocks) { return blocks * kParts + 2 * kMarginParts; }
  BEATSCAN_HOST_DEVICE static constexpr int floats(int blocks) { return 5 * size(blocks) + 2 * parts(blocks); }
  BEATSCAN_HOST_DEVICE std::int64_t origin() const { return first_block * kBlockValues - kMargin; }
  BEATSCAN_HOST_DEVICE std::int64_t first_part() const { return first_block * kParts - kMarginParts; }
  BEATSCAN_HOST_DEVICE Tile(float* memory, std::int64_t first, int count)
      : first_block(first),
        blocks(count),
        whole(memory),
        line(whole + size(count)),
        wave(line + size(count)),
        qrs(wave + size(count)),
        envelope(qrs + size(count)),
        means(envelope + size(count)),
        levels(means + parts(count)) {}
};

// A range of elements that lie within the lead.
struct Inside {
  int begin, end;
};
BEATSCAN_INLINE_BOTH Inside inside(const Tile& tile, const LeadView& lead, int reach) {
  const std::int64_t origin = tile.origin();
  const std::int64_t begin = origin + kMargin - reach, end = origin + kMargin + tile.blocks * kBlockValues + reach;
  return {static_cast<int>((begin > 0 ? begin : 0) - origin),
          static_cast<int>((end < lead.values() ? end : lead.values()) - origin)};
}

// Returns a value at 125 Hz in mV, less the lead's first sample.
BEATSCAN_INLINE_BOTH float sampled(const LeadView& lead, std::int64_t value) {
  const double place = static_cast<double>(value) * (lead.rate_hz / kValuesHz);
  const auto whole = static_cast<std::int64_t>(place);
  const int row = static_cast<int>((place - static_cast<double>(whole)) * kPhases + 0.5);
  const float* weights = lead.weights + row * lead.taps;
  const std::int64_t first = whole - lead.before;
  const Eight zero = eight(lead.samples[0]);
  Eight sum = eight(0);
  if (first >= 0 && first + lead.taps <= lead.count) {
    for (int t = 0; t < lead.taps; t += 8) sum = sum + load8(weights + t) * (load8(lead.samples + first + t) - zero);
  } else {
    for (int t = 0; t < lead.taps; t += 8) {
      float near[8];
      for (int i = 0; i < 8; ++i) {
        const std::int64_t sample = first + t + i;
        near[i] = lead.samples[sample < 0 ? 0 : sample < lead.count ? sample : lead.count - 1];
      }
      sum = sum + load8(weights + t) * (load8(near) - zero);
    }
  }
  return sum_of(sum) * lead.mv_per_unit;
}

#ifndef __CUDACC__
// Computes `count` values whose samples begin at x, Ratio samples from one to the next, with the sums that sampled()
// has, but for kWidth values at a time. Samples are dealt out to Ratio arrays.
//   dealt  with room for count + taps + kWidth values each
template <class Team, int Ratio>
BEATSCAN_INLINE void deal_and_sum(const LeadView& lead, const float* x, int count, float* const (&dealt)[4],
                                  float* values) {
  using Values = typename Team::Values;
  const float zero = lead.samples[0];
  for (int i = 0; i < count + lead.taps / Ratio; ++i)
    for (int k = 0; k < Ratio; ++k) dealt[k][i] = x[i * Ratio + k] - zero;
  for (int i = 0; i < count; i += Team::kWidth) {
    Values sums[8] = {};
    for (int t = 0; t < lead.taps; t += 8)
#pragma GCC unroll 8
      for (int k = 0; k < 8; ++k)
        sums[k] = sums[k] + Team::load(dealt[k % Ratio] + i + t / Ratio + k / Ratio) * lead.weights[t + k];
    const Values sum = ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
    Team::store(values + i, sum * lead.mv_per_unit);
  }
}

// Computes values first .. first + count - 1 at rates of 125, 250 and 500 Hz. Returns false where that is not possible:
// at other rates, and at the ends of the lead.
template <class Team>
BEATSCAN_INLINE bool sampled_at_once(const LeadView& lead, std::int64_t first, int count, float* const (&dealt)[4],
                                     float* values) {
  const auto ratio = static_cast<int>(lead.rate_hz / kValuesHz);
  const std::int64_t begin = first * ratio - lead.before;
  if (lead.rate_hz != ratio * kValuesHz || begin < 0 || begin + std::int64_t{count} * ratio + lead.taps > lead.count)
    return false;
  const float* x = lead.samples + begin;
  if (ratio == 1)
    deal_and_sum<Team, 1>(lead, x, count, dealt, values);
  else if (ratio == 2)
    deal_and_sum<Team, 2>(lead, x, count, dealt, values);
  else if (ratio == 4)
    deal_and_sum<Team, 4>(lead, x, count, dealt, values);
  return ratio == 1 || ratio == 2 || ratio == 4;
}
#endif

// Returns the sum of what a function returns for eight, or for one, of a part's values: 25 from an element on.
template <class Of>
BEATSCAN_INLINE_BOTH float part_sum(int first, const Of& of) {
  Eight sum = of(first, Eight{});
  sum = sum + of(first + 8, Eight{});
  sum = sum + of(first + 16, Eight{});
  return sum_of(sum) + of(first + 24, float{});
}
BEATSCAN_INLINE_BOTH Eight read(const float* from, Eight) { return load8(from); }
BEATSCAN_INLINE_BOTH float read(const float* from, float) { return *from; }
BEATSCAN_INLINE_BOTH Eight same(float value, Eight) { return eight(value); }
BEATSCAN_INLINE_BOTH float same(float value, float) { return value; }

// Gives elements on either side of the lead the value at its end.
template <class Team>
BEATSCAN_TEAM void prolong(float* x, const Tile& tile, const LeadView& lead, int reach) {
  const Inside known = inside(tile, lead, reach);
  const int begin = kMargin - reach, end = kMargin + tile.blocks * kBlockValues + reach;
  if (known.begin > begin) Team::each(begin, known.begin, [&](int i) BEATSCAN_INLINED { x[i] = x[known.begin]; });
  if (known.end < end) Team::each(known.end, end, [&](int i) BEATSCAN_INLINED { x[i] = x[known.end - 1]; });
}

// Returns the response of symmetric taps at an element; half holds them from the middle one on.
template <class Team, int Reach>
BEATSCAN_TEAM typename Team::Values response(const float* x, const float* half) {
  typename Team::Values sum = Team::load(x) * half[0];
  for (int j = 1; j <= Reach; ++j) sum = sum + (Team::load(x - j) + Team::load(x + j)) * half[j];
  return sum;
}

// Takes the baseline off the lead's values: `whole`, and with `keep_line` what was taken.
template <class Team>
BEATSCAN_TEAM void take_off_baseline(const Tile& tile, const LeadView& lead, Inside values, bool keep_line) {
  const std::int64_t all_parts = lead.blocks * kParts, origin = tile.origin();
  const auto part_before = [&](std::int64_t value) BEATSCAN_INLINED {  // the last part whose middle is not behind
    return value < kPartValues / 2 ? 0 : (value - kPartValues / 2) / kPartValues;
  };
  const auto element = [&](std::int64_t part) BEATSCAN_INLINED { return static_cast<int>(part - tile.first_part()); };
  const std::int64_t first = part_before(origin + values.begin), last = part_before(origin + values.end - 1) + 1;
  const std::int64_t means_first = first > kBaselineReach ? first - kBaselineReach : 0;
  const std::int64_t means_end = last + kBaselineReach < all_parts ? last + kBaselineReach + 1 : all_parts;
  const int to_values = static_cast<int>(means_first * kPartValues - origin);
  const int values_end = static_cast<int>(means_end * kPartValues - origin);
  bool done = false;
#ifndef __CUDACC__
  float* const not_yet_used[] = {tile.line, tile.wave, tile.qrs, tile.envelope};
  done = sampled_at_once<Team>(lead, means_first * kPartValues, values_end - to_values, not_yet_used,
                               tile.whole + to_values);
#endif
  if (!done)
    Team::each(to_values, values_end, [&](int i) BEATSCAN_INLINED { tile.whole[i] = sampled(lead, origin + i); });
  Team::each(element(means_first), element(means_end), [&](int p) BEATSCAN_INLINED {
    const int at = to_values + (p - element(means_first)) * kPartValues;
    const auto value = [&](int i, auto kind) BEATSCAN_INLINED { return read(tile.whole + i, kind); };
    tile.means[p] = part_sum(at, value) * (1.0f / kPartValues);
  });
  Team::each(element(first), element(last < all_parts ? last + 1 : all_parts), [&](int p) BEATSCAN_INLINED {
    float sum = 0;
    for (int j = -kBaselineReach; j <= kBaselineReach; ++j) {
      const std::int64_t part = tile.first_part() + p + j;
      const std::int64_t near = part < 0 ? 0 : part < all_parts ? part : all_parts - 1;
      sum = sum + lead.filters->baseline[j + kBaselineReach] * tile.means[element(near)];
    }
    tile.levels[p] = sum;
  });
  // Straight lines go from the middle of a part to that of the next one.
  Team::each(element(first), element(last < all_parts ? last + 1 : all_parts), [&](int p) BEATSCAN_INLINED {
    const std::int64_t part = tile.first_part() + p;
    const bool at_end = part + 1 == all_parts;
    const int middle = static_cast<int>(part * kPartValues + kPartValues / 2 - origin);
    const int from = part == 0 ? static_cast<int>(-origin) : middle;
    const int to = at_end ? static_cast<int>(lead.values() - origin) : middle + kPartValues;
    const float level = tile.levels[p];
    const float slope = at_end || part + 1 > last ? 0 : (tile.levels[p + 1] - level) * (1.0f / kPartValues);
    for (int i = from > values.begin ? from : values.begin; i < (to < values.end ? to : values.end); ++i) {
      const float line = i < middle ? level : level + slope * static_cast<float>(i - middle);
      if (keep_line) tile.line[i] = line;
      tile.whole[i] = tile.whole[i] - line;
    }
  });
}

// Computes whole, wave, qrs and envelope, the last three with what `reach` asks for on either side. `line` is kept for
// the tile alone, and only with `keep_line`.
template <class Team>
BEATSCAN_TEAM void compute_bands(const Tile& tile, const LeadView& lead, Reach reach, bool keep_line) {
  const Filters& filters = *lead.filters;
  take_off_baseline<Team>(tile, lead, inside(tile, lead, reach.whole()), keep_line);
  prolong<Team>(tile.whole, tile, lead, reach.whole());
  const Inside wave = inside(tile, lead, reach.wave), qrs = inside(tile, lead, reach.qrs()),
               envelope = inside(tile, lead, reach.envelope);
  Team::vectors(wave.begin, wave.end, [&](int i) BEATSCAN_INLINED {
    Team::store(tile.wave + i, response<Team, kWaveReach>(tile.whole + i, filters.wave));
  });
  prolong<Team>(tile.wave, tile, lead, reach.wave);
  Team::vectors(qrs.begin, qrs.end, [&](int i) BEATSCAN_INLINED {
    const auto value = response<Team, kQrsReach>(tile.whole + i, filters.qrs);
    const auto negative = -value;
    Team::store(tile.qrs + i, value < 0.0f ? negative : value);
  });
  prolong<Team>(tile.qrs, tile, lead, reach.qrs());
  Team::vectors(envelope.begin, envelope.end, [&](int i) BEATSCAN_INLINED {
    auto sum = Team::load(tile.qrs + i - kEnvelopeReach);
    for (int j = 1 - kEnvelopeReach; j <= kEnvelopeReach; ++j) sum = sum + Team::load(tile.qrs + i + j);
    Team::store(tile.envelope + i, sum * (1.0f / (2 * kEnvelopeReach + 1)));
  });
}

}  // namespace beatscan::quality
