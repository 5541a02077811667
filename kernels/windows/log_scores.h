// kernels/windows/log_scores.h — the scores of rows: around dominant rows, as logarithms, and the highest of several
// leads.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"

namespace beatscan {

inline constexpr int kMostNeighbours = 64;

// around[b][z] = median over latents[i][z] of the `count` dominant rows i that are nearest in order to row b
// Half of the rows are on either side of row b; at an end of the list more are on the other side. Row b itself is left
// out. If there is no other dominant row, the median is 0. A wrong shape or count throws ErrorKind::internal.
//   latents  [B][Z] of rows in time order, Z = latent_count
//   usual    [U] ascending indices of the dominant rows
//   count    1 .. kMostNeighbours
//   around   [B][Z]
void neighbourhood_medians(Cpu&, std::span<const float> latents, int latent_count, std::span<const std::int32_t> usual,
                           int count, std::span<float> around);
void neighbourhood_medians(Cuda&, std::span<const float> latents, int latent_count, std::span<const std::int32_t> usual,
                           int count, std::span<float> around);

// values[i] = log(values[i] + least), in place; values[i] >= 0, least > 0. The result is always finite, because a value
// that is not counts as 3e38.
void take_logs(Cpu&, float least, std::span<float> values);
void take_logs(Cuda&, float least, std::span<float> values);

struct StandardTerm {
  std::span<const float> values;
  float middle, weight;
};
inline constexpr std::size_t kMostTerms = 3;
// sums[i] = sum over 1 to kMostTerms terms, in their order, of weight (values[i] - middle)
void weighted_sum(Cpu&, std::span<const StandardTerm> terms, std::span<float> sums);
void weighted_sum(Cuda&, std::span<const StandardTerm> terms, std::span<float> sums);

// sums[i] = a[i] + b[i]
void add(Cpu&, std::span<const float> a, std::span<const float> b, std::span<float> sums);
void add(Cuda&, std::span<const float> a, std::span<const float> b, std::span<float> sums);

// scores[i] = rhythm[i] + waveform[i] where waveform[i] > 0, and rhythm[i] + below waveform[i] elsewhere
void score_sums(Cpu&, std::span<const float> waveform, std::span<const float> rhythm, float below,
                std::span<float> scores);
void score_sums(Cuda&, std::span<const float> waveform, std::span<const float> rhythm, float below,
                std::span<float> scores);

// Makes one distance for each beat from its distances in several leads.
//
//   distance[l][b] = factors[l] distances[l][b] / noise[l][b]
//   fused[b]       = mean over l of distance[l][b], weighted by shares[l] heard[l][b]
//   most[b]        = the l with the greatest shares[l] heard[l][b] distance[l][b]; of equal ones the first
// If no lead is heard at a beat, all leads count.

// One lead's distances.
struct LeadDistances {
  std::span<const float> distances;     // [B] 0 or more
  std::span<const float> noise;         // [B] positive; empty for 1
  std::span<const std::uint8_t> heard;  // [B] 0 or 1; empty for 1
  float factor, share;                  // positive
};

inline constexpr std::size_t kMostFusedLeads = 64;

// Fuses 1 to kMostFusedLeads leads. `most` may be empty, if it is not wanted. A wrong shape throws ErrorKind::internal.
//   fused, most  [B]
void fuse_leads(Cpu&, std::span<const LeadDistances> leads, std::span<float> fused, std::span<std::uint8_t> most);
void fuse_leads(Cuda&, std::span<const LeadDistances> leads, std::span<float> fused, std::span<std::uint8_t> most);

}  // namespace beatscan
