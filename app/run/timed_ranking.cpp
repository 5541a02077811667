#include "app/run/timed_ranking.h"

#include <limits>
#include <utility>

#include "app/config/config.h"
#include "app/result/result_facts.h"
#include "app/run/kind_doubts.h"
#include "app/run/signal_doubts.h"
#include "app/run/stage_timer.h"
#include "app/run/timed_model.h"
#include "app/run/wave_model.h"
#include "kernels/runtime/beside.h"
#include "kernels/runtime/parallel.h"
#include "stages/episodes/beats_without_waves.h"
#include "stages/episodes/rhythm_findings.h"
#include "stages/features/beat_table.h"
#include "stages/findings/findings.h"
#include "stages/findings/pacing.h"
#include "stages/methods/around_r_peaks.h"
#include "stages/methods/artefact_rows.h"
#include "stages/methods/as_published.h"
#include "stages/score/score.h"
#include "stages/waves/waves.h"

namespace beatscan {
namespace {

constexpr int kThreadsBesideTraining = 3;  // for two pieces of work at a time: the training keeps one

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

// Holds the findings, and those doubts that are looked for at the same time.
struct FindingsAndArtefacts {
  Findings findings;
  std::vector<Artefact> artefacts;  // [B] what rows look like instead of beats
  std::vector<Wraps> wraps;         // [L]
  BeatImpulses impulses;
  std::vector<std::uint8_t> template_of;  // [B] templates of shape alone
  std::vector<float> template_distance;   // [B] from it
};

template <class Context>
FindingsAndArtefacts findings(Context& context, const Recording<Context>& recording,
                              const EmbeddedBeats<Context>& embedded, const Config& config, const RunResult& result,
                              StageTimer& timer) {
  const auto& beats = result.beats;
  const double rate_hz = *result.input.sample_rate_hz;
  return timer.timed(
      context, "findings",
      [&] {
        const Ranking& ranking = *result.scored.ranking;
        ShapesAndRhythm<Context> known;
        FindingsAndArtefacts found;
        run_beside(
            context,
            [&](Context& on) {
              known = shapes_and_rhythm(on, embedded, config.rows, beats.found, beats.kept, ranking.waveform, rate_hz,
                                        config.findings);
            },
            [&](Context& other) {
              found.artefacts = artefact_rows(other, recording, embedded, beats.found, beats.kept, ranking.waveform,
                                              config.findings, rate_hz);
              found.wraps = wraps_of_leads(other, recording, beats.lead_quality, rate_hz);
              found.impulses = beat_impulses(other, recording, embedded, beats.found.r_peaks, rate_hz);
            },
            kThreadsBesideTraining);
        found.findings = findings_of(context, embedded, config.rows, known, beats.found, beats.kept,
                                     {ranking.waveform, ranking.noise, found.artefacts}, config.findings);
        tell_paced(found.impulses, rate_hz, config.findings.groups, found.findings);
        found.template_of = std::move(known.templates.template_of);
        found.template_distance = std::move(known.templates.distance);
        return found;
      },
      [&](const auto&) { return bytes_of(embedded.rows.values); });
}

// Delineates P, QRS and T waves in the leads that beats were cut of.
template <class Context>
void delineate_beats(Context& context, const Recording<Context>& recording, const WaveModel& model,
                     const Config& config, RunResult& result, StageTimer& timer) {
  const auto& found = result.beats.found;
  result.wave_model_sha256 = model.sha256;
  result.waves = timer.timed(
      context, "waves",
      [&] {
        return delineate(context, recording, result.beats.leads,
                         {found.r_peaks, result.findings->templates, found.broken}, model, config.waves,
                         *result.input.sample_rate_hz);
      },
      [&](const auto&) { return bytes_of_samples(recording); });
}

// Makes the beat table. It needs the waves.
template <class Context>
BeatFeatures features(Context& context, const Recording<Context>& recording, const FindingsAndArtefacts& found,
                      const RunResult& result, StageTimer& timer) {
  const Ranking& ranking = *result.scored.ranking;
  const auto& beats = result.beats;
  const TableBeats table{.r_peaks = beats.found.r_peaks,
                         .broken = beats.found.broken,
                         .kept = beats.kept,
                         .template_of = found.template_of,
                         .template_distance = found.template_distance,
                         .waveform = ranking.waveform,
                         .rhythm = ranking.rhythm,
                         .baseline = ranking.baseline.score,
                         .noise = ranking.noise,
                         .leads = beats.leads,
                         .waves = *result.waves,
                         .impulses = found.impulses,
                         .quality = result.quality_index,
                         .sample_rate_hz = *result.input.sample_rate_hz};
  return timer.timed(
      context, "features", [&] { return beat_table(context, recording, table); },
      [&](const auto&) { return bytes_of_samples(recording); });
}

// Tells the rhythm by the beats and by what the signal shows besides.
template <class Context>
RhythmFindings rhythm(Context& context, const RunResult& result, const Config& config, StageTimer& timer) {
  const auto& evidence = result.beats.evidence;
  return timer.timed(
      context, "episodes",
      [&] {
        return rhythm_findings(context, rhythm_beats(result), evidence ? &*evidence : nullptr,
                               static_cast<double>(result.input.samples), config.episodes);
      },
      [&](const auto&) { return static_cast<std::int64_t>(result.beats.found.r_peaks.size() * sizeof(double)); });
}

// Adds the doubts that the signal raises, and draws the templates for the report.
template <class Context>
void add_doubts_and_shapes(Context& context, const Recording<Context>& recording,
                           const EmbeddedBeats<Context>& embedded, std::span<const Artefact> artefacts,
                           const Config& config, RunResult& result, StageTimer& timer) {
  timer.timed(
      context, "shapes",
      [&] {
        add_signal_doubts(context, recording, result.beats, *result.findings, artefacts, *result.input.sample_rate_hz,
                          result.doubts);
        auto& drawn = result.report.templates;
        drawn = template_shapes(context, embedded, result, config.rows, config.findings.kinds.width);
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
                   const VaeModel& model, const VaeTraining& training, const WaveModel& wave_model,
                   const Config& config, RunResult& result, StageTimer& timer) {
  result.scored = score(context, embedded, model, training, config, timer);
  if (!result.scored.ranking) return;
  auto found = findings(context, recording, embedded, config, result, timer);
  result.findings = std::move(found.findings);
  result.doubts.wraps = std::move(found.wraps);
  delineate_beats(context, recording, wave_model, config, result, timer);
  if (config.output.features) result.features = features(context, recording, found, result, timer);
  const KindPart part = kind_part_of(has_few_beats(result.beats, config), config.score);
  score_by_kinds(*result.findings, result.beats.found, result.beats.kept, part, config.score, result.scored);
  StageTimer beside;
  run_beside(
      context,
      [&](Context& on) {
        const auto rhythm_and_waves = [&] {
          result.rhythm = rhythm(on, result, config, timer);
          const auto& episodes = result.rhythm->episodes.list;
          take_waves_off(*result.waves, beats_without_waves(rhythm_beats(result), episodes));
          remove_non_conducted_in_fibrillation(episodes, *result.waves);
          result.wave_summary = summary_of_waves(result);
        };
        run_together(
            rhythm_and_waves, [&] { result.ranks = ranks_in_good_signal(result); },
            [&] { result.doubts.large_end = large_end(result.beats, *result.findings); },
            [&] { result.doubts.on_time = beats_on_time(result.beats.found, *result.findings); });
      },
      [&](Context& other) {
        add_doubts_and_shapes(other, recording, embedded, found.artefacts, config, result, beside);
      },
      kThreadsBesideTraining);
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
                              const VaeTraining&, const WaveModel&, const Config&, RunResult&, StageTimer&);       \
  template RowScores timed_row_scores(Context&, const EmbeddedBeats<Context>&, const VaeModel&, std::int64_t,      \
                                      StageTimer&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_TIMED_RANKING)

}  // namespace beatscan
