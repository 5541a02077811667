// kernels/windows/fuse_leads.h — makes one distance for each beat from its distances in several leads.
//
//   distance[l][b] = factors[l] distances[l][b] / noise[l][b]
//   fused[b]       = mean over l of distance[l][b], weighted by shares[l] heard[l][b]
//   most[b]        = the l with the greatest shares[l] heard[l][b] distance[l][b]; of equal ones the first
// If no lead is heard at a beat, all leads count.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"

namespace beatscan {

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
