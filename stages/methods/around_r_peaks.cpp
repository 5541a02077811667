#include "stages/methods/around_r_peaks.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "stages/classify/beat_findings.h"
#include "stages/detect/detect_options.h"
#include "stages/model/vae.h"
#include "stages/quality/quality.h"
#include "stages/score/score.h"
#include "stages/score/scores.h"
#include "stages/windows/embedded_beats.h"

namespace beatscan {

template <class Context>
Detection<Context> detect_beats(Context& context, const Recording<Context>& recording, const DetectOptions& detect,
                                const QualityOptions& quality, double sample_rate_hz, const DetectRequest& request) {
  return detect_r_peaks<Context>(context, lead_signals(recording), detect, quality, sample_rate_hz, request);
}

template <class Context>
FoundBeats<Context> find_around_r_peaks(Context& context, const Recording<Context>& recording,
                                        const QualityIndex& index, const DetectOptions& detect,
                                        const QualityOptions& quality, const RowOptions& rows, double sample_rate_hz) {
  auto detection = detect_beats(context, recording, detect, quality, sample_rate_hz);
  return list_beats(context, recording, std::move(detection), index, reach_of(rows), quality.bridge_s, sample_rate_hz);
}

namespace {

// Sets the row scores of beats to NaN in leads without signal there: such a row is a straight line.
template <class Context>
void blank_absent(Context& context, const EmbeddedBeats<Context>& embedded, RowScores& rows) {
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
  const std::int64_t beats = embedded.beats(),
                     latents = std::ssize(rows.latents) / std::max<std::int64_t>(std::ssize(rows.kl), 1);
  for (std::int64_t l = 0; l < std::ssize(embedded.leads); ++l) {
    const auto present = to_host(context, embedded.leads[l].present);
    for (std::int64_t b = 0; b < std::ssize(present); ++b) {
      if (present[b]) continue;
      const std::int64_t row = l * beats + b;
      rows.reconstruction_error[row] = rows.kl[row] = kNone;
      std::fill_n(&rows.latents[row * latents], latents, kNone);
    }
  }
}

}  // namespace

template <class Context>
ScoredBeats score_around_r_peaks(Context& context, const EmbeddedBeats<Context>& embedded, const VaeModel& model,
                                 const ScoreOptions& options) {
  const auto row_scores = model.exists() ? score_rows(context, model, embedded.rows) : RowScoreBuffers<Context>();
  Ranking ranking = rank_beats(context, embedded, model, row_scores, options);
  RowScores rows = std::move(ranking.rows);
  if (model.exists()) blank_absent(context, embedded, rows);
  BeatScores scores = ranking.scores;
  return {std::move(rows), std::move(scores), std::move(ranking)};
}

template <class Context>
RowScores row_scores_around_r_peaks(Context& context, const EmbeddedBeats<Context>& embedded, const VaeModel& model) {
  RowScores rows = to_host(context, score_rows(context, model, embedded.rows));
  blank_absent(context, embedded, rows);
  return rows;
}

void score_by_classes(const Findings& findings, const BeatList& beats, const std::vector<std::int64_t>& kept,
                      const ScoreOptions& options, ScoredBeats& scored) {
  scored.ranking->learned.clear();
  std::vector<std::uint8_t> trusted;
  for (const std::int64_t beat : kept) {
    scored.ranking->learned.push_back(
        findings.is_paced(beat) ? 0 : learned_score(&findings.posteriors[beat * kPosteriorClasses], options));
    trusted.push_back(beats.trusted[beat]);
  }
  add_learned_scores(scored.scores, scored.ranking->learned, trusted, options);
  scored.ranking->scores = scored.scores;
}

#define BEATSCAN_AROUND_R_PEAKS_ON(Context)                                                                        \
  template Detection<Context> detect_beats(Context&, const Recording<Context>&, const DetectOptions&,              \
                                           const QualityOptions&, double, const DetectRequest&);                   \
  template FoundBeats<Context> find_around_r_peaks(Context&, const Recording<Context>&, const QualityIndex&,       \
                                                   const DetectOptions&, const QualityOptions&, const RowOptions&, \
                                                   double);                                                        \
  template ScoredBeats score_around_r_peaks(Context&, const EmbeddedBeats<Context>&, const VaeModel&,              \
                                            const ScoreOptions&);                                                  \
  template RowScores row_scores_around_r_peaks(Context&, const EmbeddedBeats<Context>&, const VaeModel&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_AROUND_R_PEAKS_ON)

}  // namespace beatscan
