// kernels/templates/shape_groups.h — which beats represent the template that is nearest to them.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"
#include "kernels/templates/shape_sums.h"

namespace beatscan {

// groups[b] = nearest[b] if the beat counts and is nearer than `within`, else kNoGroup. A wrong shape throws
// ErrorKind::internal.
//   nearest, distances, counting, groups  [B]
void near_groups(Cpu&, std::span<const std::uint8_t> nearest, std::span<const float> distances,
                 std::span<const std::uint8_t> counting, float within, std::span<std::uint8_t> groups);
void near_groups(Cuda&, std::span<const std::uint8_t> nearest, std::span<const float> distances,
                 std::span<const std::uint8_t> counting, float within, std::span<std::uint8_t> groups);

}  // namespace beatscan
