#include "stages/reference/embed.h"

#include <string>

#include "kernels/detect/beats.h"
#include "kernels/lists/bits.h"
#include "stages/common/counted.h"
#include "stages/io/recording/recording.h"
#include "stages/reference/published_options.h"
#include "stages/reference/segment.h"

namespace beatscan {

template <class Context>
Rows<Context> embed_beats(Context& context, const Recording<Context>& recording, const Beats<Context>& beats,
                          const EmbedOptions& options, std::optional<double> sample_rate_hz) {
  const std::int64_t candidates = beats.starts.size();
  const LengthLimits limits{whole_samples(options.min_length, sample_rate_hz),
                            whole_samples(options.max_length, sample_rate_hz)};
  const double step = in_samples(options.row_span, sample_rate_hz) / static_cast<double>(options.row_points);
  Rows<Context> rows{.outcomes = Buffer<Outcome, Context>(context, candidates), .points = options.row_points};
  Buffer<std::uint32_t, Context> words(context, words_for(candidates));
  classify_candidates(context, beats.starts, limits, recording.leads.front().gap_firsts,
                      recording.leads.front().gap_lasts, rows.outcomes, words);
  rows.kept = positions(context, words, Pick::every);
  rows.count = rows.kept.size();
  if (rows.count == 0)
    throw Error(ErrorKind::unanalysable,
                "no beats: none of " + counted(candidates, "candidate") + " is " + std::to_string(limits.min_samples) +
                    " to " + counted(limits.max_samples, "sample") + " long (is the sampling rate right?)");
  rows.values = Buffer<float, Context>(context, rows.count * rows.points);
  embed_rows(context, recording.leads.front().samples, beats.starts, rows.kept, step, rows.points, rows.values);
  return rows;
}

#define BEATSCAN_EMBED_BEATS(Context)                                                                                 \
  template Rows<Context> embed_beats(Context&, const Recording<Context>&, const Beats<Context>&, const EmbedOptions&, \
                                     std::optional<double>);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_EMBED_BEATS)

}  // namespace beatscan
