// stages/reference/embed.h — cuts beats into rows of one length, from start to start, as the published pipeline does.
//
// A candidate reaches from its start to the next one. It is kept if its length is within the limits and it touches no
// missing samples. Row b is the signal from the start of beat b on, at `row_points` places evenly spread over
// `row_span`; the places beyond the beat's end are 0.
#pragma once

#include <cstdint>
#include <optional>

#include "stages/common/rows.h"

namespace beatscan {

struct EmbedOptions;
template <class Context>
struct Beats;
template <class Context>
struct Recording;

// Makes the rows. Throws ErrorKind::unanalysable if no candidate is kept, and ErrorKind::usage if a duration is in
// seconds and the sampling rate is not known.
template <class Context>
Rows<Context> embed_beats(Context&, const Recording<Context>& recording, const Beats<Context>& beats,
                          const EmbedOptions& options, std::optional<double> sample_rate_hz);

}  // namespace beatscan
