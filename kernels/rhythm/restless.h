// kernels/rhythm/restless.h — tells where an envelope is never at rest, as in ventricular flutter and fibrillation.
//
// Window b is of the samples from b block - block / 2 to (b + 1) block + block / 2: block b and half a block on either
// side. M is the largest part of the window.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"

namespace beatscan {

// Parts of a window; a part counts if any of its samples is within the window.
struct RestlessParts {
  std::int32_t parts;       // number of parts
  std::int32_t sure, more;  // those larger than heights.sure (heights.more) times M
};
struct RestHeights {
  float sure, more;
};

// Counts the parts of each window.
//   parts  [P] largest values of the envelope's parts, see part_maxima.h
//   width  samples of a part
//   block  samples of a block
//   found  [B]
// A wrong shape throws ErrorKind::internal.
void restless_parts(Cpu&, std::span<const float> parts, int width, std::int64_t block, RestHeights heights,
                    std::span<RestlessParts> found);
void restless_parts(Cuda&, std::span<const float> parts, int width, std::int64_t block, RestHeights heights,
                    std::span<RestlessParts> found);

}  // namespace beatscan
