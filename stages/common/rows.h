// stages/common/rows.h — beats as rows of one length, the input of the model.
#pragma once

#include <cstdint>

#include "kernels/beats/beats.h"
#include "kernels/runtime/buffer.h"

namespace beatscan {

template <class Context>
struct Rows {
  Buffer<float, Context> values;            // [B][D] time order
  Buffer<std::int64_t, Context> kept;       // [B] the beat of each row, an index into starts
  Buffer<Fate, Context> fates;              // [S] why a candidate is or is not a row
  Buffer<std::int32_t, Context> trainable;  // rows that a model may learn from, ascending; empty: all
  std::int64_t count = 0;                   // B
  std::int64_t points = 0;                  // D
};

}  // namespace beatscan
