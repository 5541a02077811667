// stages/common/rows.h — beats as rows of one length, which are the input of the model.
#pragma once

#include <cstdint>

#include "kernels/detect/quality_class.h"
#include "kernels/runtime/buffer.h"

namespace beatscan {

template <class Context>
struct Rows {
  Buffer<float, Context> values;            // [B][D] rows in time order
  Buffer<std::int64_t, Context> kept;       // [B] index of each row's beat among the candidates, ascending
  Buffer<Outcome, Context> outcomes;        // [S] whether a candidate is a row, or why not; published method only
  Buffer<std::int32_t, Context> trainable;  // rows that a model may learn from, ascending; if empty, all
  std::int64_t count = 0;                   // B
  std::int64_t points = 0;                  // D
};

}  // namespace beatscan
