// stages/embed.h — beats as rows of one length, the input of the model.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/beats.h"
#include "kernels/buffer.h"
#include "stages/duration.h"
#include "stages/ingest.h"
#include "stages/segment.h"

namespace beatscan {

struct EmbedOptions {
  Duration min_length = seconds(0.4);    // shorter candidates (to the next start) are dropped
  Duration max_length = seconds(1.024);  // longer ones too
  Duration row_span = seconds(1.024);    // what a row covers: 256 points of 4 ms
  std::int64_t row_points = 256;
};

template <class Context>
struct Rows {
  Buffer<float, Context> values;            // [B][D] time order
  Buffer<std::int64_t, Context> kept;       // [B] the beat of each row, an index into starts
  Buffer<Fate, Context> fates;              // [S] why a candidate is or is not a row
  Buffer<std::int32_t, Context> trainable;  // rows that a model may learn from, ascending; empty: all
  std::int64_t count = 0;                   // B
  std::int64_t points = 0;                  // D
};

// Throws Status::unanalysable where no candidate is kept.
template <class Context>
Rows<Context> embed_beats(Context&, const Recording<Context>& recording, const Beats<Context>& beats,
                          const EmbedOptions& options, std::optional<double> sample_rate_hz);

}  // namespace beatscan
