// stages/published/embed.h — beats as rows of one length, from start to start as the published pipeline cuts them.
#pragma once

#include <cstdint>
#include <optional>

#include "stages/common/duration.h"
#include "stages/common/rows.h"
#include "stages/input/csv/ingest.h"
#include "stages/published/segment.h"

namespace beatscan {

struct EmbedOptions {
  Duration min_length = seconds(0.4);    // shorter candidates (to the next start) are dropped
  Duration max_length = seconds(1.024);  // longer ones too
  Duration row_span = seconds(1.024);    // what a row covers: 256 points of 4 ms
  std::int64_t row_points = 256;
};

// Throws ErrorKind::unanalysable where no candidate is kept.
template <class Context>
Rows<Context> embed_beats(Context&, const Recording<Context>& recording, const Beats<Context>& beats,
                          const EmbedOptions& options, std::optional<double> sample_rate_hz);

}  // namespace beatscan
