#include "stages/methods/around_r_peaks.h"

#include <utility>

namespace beatscan {

template <class Context>
FoundBeats<Context> find_around_r_peaks(Context& context, const Recording<Context>& recording,
                                        const DetectOptions& detect, const QualityOptions& quality,
                                        const RowOptions& rows, double sample_rate_hz) {
  const RecordedLead<Context>& first = recording.leads.front();
  const LeadSignal lead{first.samples, {first.gap_firsts, first.gap_lasts}};
  return list_beats(context, recording, detect_r_peaks<Context>(context, {&lead, 1}, detect, quality, sample_rate_hz),
                    reach_of(rows), quality.bridge_s, sample_rate_hz);
}

template <class Context>
ScoredBeats score_around_r_peaks(Context& context, const EmbeddedBeats<Context>& embedded, const VaeModel& model,
                                 const ScoreOptions& options) {
  const auto row_scores = score_rows(context, model, embedded.rows);
  Ranking ranking = rank_beats(context, embedded, model, row_scores, options);
  RowScores rows = std::move(ranking.rows);
  BeatScores scores = ranking.scores;
  return {std::move(rows), std::move(scores), std::move(ranking)};
}

#define BEATSCAN_AROUND_R_PEAKS_ON(Context)                                                                   \
  template FoundBeats<Context> find_around_r_peaks(Context&, const Recording<Context>&, const DetectOptions&, \
                                                   const QualityOptions&, const RowOptions&, double);         \
  template ScoredBeats score_around_r_peaks(Context&, const EmbeddedBeats<Context>&, const VaeModel&,         \
                                            const ScoreOptions&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_AROUND_R_PEAKS_ON)

}  // namespace beatscan
