#include "app/pipeline/timed_ranking.h"

#include <limits>
#include <utility>

#include "app/config/config.h"
#include "app/output/result_facts.h"
#include "app/pipeline/models.h"
#include "app/pipeline/progress.h"
#include "app/pipeline/timed_model.h"
#include "kernels/runtime/beside.h"
#include "kernels/runtime/parallel.h"
#include "stages/methods/around_r_peaks.h"
#include "stages/methods/as_published.h"
#include "stages/methods/classification.h"
#include "stages/rhythm/rhythm_findings.h"
#include "stages/rhythm/rhythms.h"
#include "stages/score/score.h"

namespace beatscan {
namespace {

constexpr int kThreadsBesideTraining = 3;  // for two concurrent tasks; the training gets one

template <class Context>
ScoredBeats score(Context& context, const EmbeddedBeats<Context>& embedded, const VaeModel& model,
                  const VaeTraining& training, const Config& config, StageTimer& timer) {
  const auto& rows = embedded.rows;
  const auto bytes = [&](const auto&) { return bytes_of(rows.values); };
  if (config.method == Method::r_peaks) {
    return timer.timed(
        context, "score", [&] { return score_around_r_peaks(context, embedded, model, config.score); }, bytes);
  }
  auto row_scores = timer.timed(
      context, "score", [&] { return to_host(context, score_rows(context, model, rows)); }, bytes);
  return score_as_published(std::move(row_scores), training, config.vae.kl_weight, config.score);
}

// Classifies the beats, and includes their classes in the ranking. Returns the rhythms that the model recognises.
template <class Context>
Rhythms classify_beats(Context& context, const Recording<Context>& recording, const EmbeddedBeats<Context>& embedded,
                       const Models& models, const Config& config, RunResult& result, StageTimer& timer) {
  const BeatFacts& beats = result.beats;
  const RankedBeats<Context> ranked{recording,
                                    embedded,
                                    beats.found,
                                    beats.kept,
                                    *result.scored.ranking,
                                    result.quality_index,
                                    *result.input.sample_rate_hz};
  const auto row_bytes = [&](const auto&) { return bytes_of(embedded.rows.values); };
  const auto sample_bytes = [&](const auto&) { return bytes_of_samples(recording); };
  const auto known = timer.timed(
      context, "templates", [&] { return shapes_and_intervals(context, ranked, config.rows, kThreadsBesideTraining); },
      row_bytes);
  result.waves = timer.timed(
      context, "waves", [&] { return delineated_beats(context, ranked, known, models.waves, config.waves); },
      sample_bytes);
  auto table = timer.timed(
      context, "features", [&] { return table_of_beats(context, ranked, known, *result.waves); }, sample_bytes);
  result.findings = timer.timed(
      context, "classes", [&] { return classified_beats(context, ranked, known, table, models.classes); },
      [&](const auto&) { return std::ssize(table.columns) * table.beats() * std::int64_t{sizeof(float)}; });
  result.wave_model_sha256 = models.waves.sha256;
  result.class_model_sha256 = models.classes.sha256;
  score_by_classes(*result.findings, beats.found, beats.kept, config.score, result.scored);
  auto rhythms = timer.timed(
      context, "rhythms",
      [&] {
        return recognised_rhythms(table, result.findings->posteriors, beats.found.r_peaks, ranked.sample_rate_hz,
                                  static_cast<double>(result.input.samples) / ranked.sample_rate_hz, models.rhythms,
                                  config.rhythm_model.source);
      },
      [&](const auto&) { return std::ssize(table.columns) * table.beats() * std::int64_t{sizeof(float)}; });
  result.rhythm_model_sha256 = models.rhythms.sha256;
  if (config.output.features) result.features = std::move(table);
  return rhythms;
}

// Finds the episodes: from the rhythms, the beats, and the signal itself.
template <class Context>
RhythmFindings rhythm(Context& context, const RunResult& result, const Rhythms& rhythms, const Config& config,
                      StageTimer& timer) {
  const auto& evidence = result.beats.evidence;
  return timer.timed(
      context, "episodes",
      [&] {
        return rhythm_findings(context, rhythm_beats(result), evidence ? &*evidence : nullptr, rhythms,
                               static_cast<double>(result.input.samples), config.episodes);
      },
      [&](const auto&) { return static_cast<std::int64_t>(result.beats.found.r_peaks.size() * sizeof(double)); });
}

// Draws the templates for the report.
template <class Context>
void draw_templates(Context& context, const EmbeddedBeats<Context>& embedded, const Config& config, RunResult& result,
                    StageTimer& timer) {
  timer.timed(
      context, "shapes",
      [&] {
        auto& drawn = result.report.templates;
        drawn = template_shapes(context, embedded, result, config.rows);
        return std::ssize(drawn.means) * std::int64_t{sizeof(float)};
      },
      [](std::int64_t bytes) { return bytes; });
}

RowScores no_row_scores(std::int64_t rows, std::int64_t latents) {
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
  return {std::vector(rows, kNone), std::vector(rows, kNone), std::vector(rows * latents, kNone)};
}

}  // namespace

bool ranks_without_model(const Config& config) {
  return config.method == Method::r_peaks && config.score.model_weight == 0;
}

template <class Context>
void rank_beats_of(Context& context, const Recording<Context>& recording, const EmbeddedBeats<Context>& embedded,
                   const VaeModel& model, const VaeTraining& training, const Models& models, const Config& config,
                   RunResult& result, StageTimer& timer) {
  result.scored = score(context, embedded, model, training, config, timer);
  if (!result.scored.ranking) return;
  const Rhythms rhythms = classify_beats(context, recording, embedded, models, config, result, timer);
  StageTimer beside;
  run_concurrently(
      context,
      [&](Context& on) {
        const auto rhythm_and_waves = [&] {
          result.rhythm = rhythm(on, result, rhythms, config, timer);
          const auto& episodes = result.rhythm->episodes.list;
          take_waves_off(*result.waves, beats_without_waves(rhythm_beats(result), episodes));
          remove_non_conducted_in_fibrillation(episodes, *result.waves);
          result.wave_summary = summary_of_waves(result);
        };
        run_together(rhythm_and_waves, [&] { result.ranks = ranks_in_good_signal(result); });
      },
      [&](Context& other) { draw_templates(other, embedded, config, result, beside); }, kThreadsBesideTraining);
  timer.add(beside.take());
}

template <class Context>
RowScores timed_row_scores(Context& context, const EmbeddedBeats<Context>& embedded, const VaeModel& model,
                           std::int64_t latents, StageTimer& timer) {
  if (!model.exists()) return no_row_scores(embedded.rows.count, latents);
  return timer.timed(
      context, "latents", [&] { return row_scores_around_r_peaks(context, embedded, model); },
      [&](const auto&) { return bytes_of(embedded.rows.values); });
}

#define BEATSCAN_TIMED_RANKING(Context)                                                                            \
  template void rank_beats_of(Context&, const Recording<Context>&, const EmbeddedBeats<Context>&, const VaeModel&, \
                              const VaeTraining&, const Models&, const Config&, RunResult&, StageTimer&);          \
  template RowScores timed_row_scores(Context&, const EmbeddedBeats<Context>&, const VaeModel&, std::int64_t,      \
                                      StageTimer&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_TIMED_RANKING)

}  // namespace beatscan
