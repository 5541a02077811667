// kernels/templates/shape_sums.h — sums of the rows of each group of beats.
//
//   sums[k][j] = sum over the b with groups[b] == k of value(rows[b][j])
//   value(x)   = x of an integer; of a float the nearest integer to kSumParts x, clipped to +-2^40
//   counts[k]  = number of those b
// The sums are of integers, and so both back ends give the same.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"

namespace beatscan {

inline constexpr std::int64_t kMostGroups = 40;
inline constexpr std::uint8_t kNoGroup = 255;
inline constexpr double kSumParts = 65536;

// Adds up the rows of groups 0 .. K - 1; rows of other groups are left out. A wrong shape throws ErrorKind::internal.
// T is std::int16_t or float.
//   rows    [B][D] finite
//   groups  [B]
//   sums    [K][D], K <= kMostGroups
//   counts  [K]
template <class T>
void group_sums(Cpu&, std::span<const T> rows, std::span<const std::uint8_t> groups, std::span<std::int64_t> sums,
                std::span<std::int64_t> counts);
template <class T>
void group_sums(Cuda&, std::span<const T> rows, std::span<const std::uint8_t> groups, std::span<std::int64_t> sums,
                std::span<std::int64_t> counts);

// Makes the check that both back ends share, and returns D.
std::int64_t check_group_sums(std::int64_t rows, std::int64_t groups, std::int64_t sums, std::int64_t counts);

}  // namespace beatscan
