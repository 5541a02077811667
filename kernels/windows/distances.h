// kernels/windows/distances.h — distances of rows from normal beats: from a median beat, and from the nearest of many
// beats.
//
//   rows  [B][D]
// Distances are means of squared differences over a row. A wrong shape throws ErrorKind::internal.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/buffer.h"
#include "kernels/runtime/context.h"

namespace beatscan {

struct SizeRange {
  float low, high;
};
// Measures the distance of each beat from the median beat, whatever the beat's size within a range. Breathing changes
// the size of beats, so a beat that differs from the median beat only in its size counts as near. Rows are residuals:
//   beat[b][j]   = median[j] + spread rows[b][j]
//   distances[b] = mean over j of (beat[b][j] - a median[j])^2, a = clip(beat[b] . median / median . median, low, high)
//   median       [D], not all 0
void scaled_distances(Cpu&, std::span<const float> rows, std::span<const float> median, float spread, SizeRange range,
                      std::span<float> distances);
void scaled_distances(Cuda&, std::span<const float> rows, std::span<const float> median, float spread, SizeRange range,
                      std::span<float> distances);

inline constexpr int kPooledPoints = 64;     // a row is compared as 64 means of D / 64 points each
inline constexpr int kMostReferences = 512;  // largest R

// distances[b] = the (rank + 1)-th smallest distance between rows[b] and one of the references, 0 <= rank < R
//   references  [R][D], D a multiple of 64
void nearest_distances(Cpu&, std::span<const float> rows, std::span<const float> references, std::int64_t points,
                       int rank, std::span<float> distances);
void nearest_distances(Cuda&, std::span<const float> rows, std::span<const float> references, std::int64_t points,
                       int rank, std::span<float> distances);

// Sets flags[i] to 0 unless distances[i] <= farthest.
void drop_far(Cpu&, std::span<const float> distances, double farthest, std::span<std::uint8_t> flags);
void drop_far(Cuda&, std::span<const float> distances, double farthest, std::span<std::uint8_t> flags);

// Make the checks that both back ends share.
void check_scaled_distances(std::int64_t rows, std::int64_t points, std::int64_t distances);
void check_nearest_distances(std::int64_t rows, std::int64_t references, std::int64_t points, int rank,
                             std::int64_t distances);

}  // namespace beatscan
