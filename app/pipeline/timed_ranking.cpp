// The stages after the beat windows: the model of a recording, and the ranking and classification of its beats.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "app/common/sha256.h"
#include "app/config/config.h"
#include "app/output/result_facts.h"
#include "app/pipeline/checkpoint.h"
#include "app/pipeline/models.h"
#include "app/pipeline/pipeline.h"
#include "app/pipeline/progress.h"
#include "app/pipeline/timed_stages.h"
#include "kernels/runtime/beside.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "stages/common/counted.h"
#include "stages/methods/around_r_peaks.h"
#include "stages/methods/as_published.h"
#include "stages/methods/classification.h"
#include "stages/rhythm/rhythm_findings.h"
#include "stages/rhythm/rhythms.h"
#include "stages/score/score.h"

namespace beatscan {
namespace {

constexpr int kThreadsDuringTraining = 3;  // for two concurrent tasks; the training gets one

// On two devices of the same identity, a training gives the same bytes.
std::string identity_of(const Cpu&) { return "cpu"; }
#ifdef BEATSCAN_WITH_CUDA
std::string identity_of(const Cuda& cuda) { return describe(cuda).name; }
#endif

// Trains a model, or continues an interrupted training.
template <class Context>
VaeResult train(Context& context, const DetectedBeats<Context>& detected, Log& log) {
  const RunRequest& request = detected.request;
  const FileHash& sha256 = *detected.opened.input.sha256;
  const auto identity = [&] { return training_identity(request.config, sha256.get(), identity_of(context)); };
  Checkpoints checkpoints(request.checkpoint, request.config, identity, detected.opened.checkpoint_requests, log);
  const TrainingStart start{request.config.seed, {}, checkpoints.start(request.resume)};
  auto progress = training_progress(log, request.input.string());
  return train_vae(context, detected.embedded.rows, request.config.vae, start,
                   checkpoints.reporting(std::move(progress)));
}

template <class Context>
VaeResult saved_model(Context& context, const Rows<Context>& rows, const RunRequest& request) {
  VaeOptions options = request.config.vae;
  options.epochs = 0;
  auto saved = train_vae(context, rows, options, {request.config.seed, request.model->parameters});
  const bool was_tried = std::ranges::count(saved.training.split, Split::test) > 0;
  if (was_tried && !std::isfinite(saved.training.test_loss))
    fail(ErrorKind::input, request.model->path.string(),
         "gives no finite numbers for the beats of this recording: it is damaged, or no model of beats");
  return saved;
}

// Returns why a recording gets no model of its own; empty if it gets one.
std::string why_no_model(const BeatFacts& beats, const Config& config) {
  const auto trusted = std::ranges::count(beats.found.trusted, 1);
  if (config.method == Method::published) return "";
  if (config.vae.epochs == 0) return "vae.epochs is 0";
  if (trusted >= config.vae.least_beats) return "";
  return counted(trusted, "beat") + " to learn from, fewer than vae.least_beats (" +
         std::to_string(config.vae.least_beats) + ")";
}

ModelFacts no_model(const BeatFacts& beats, const Config& config) {
  return {.why_none = why_no_model(beats, config),
          .training = {.test_loss = std::numeric_limits<double>::quiet_NaN(),
                       .split = std::vector<Split>(beats.kept.size(), Split::none)}};
}

template <class Context>
ScoredBeats score(Context& context, const DetectedBeats<Context>& detected, const VaeModel& model,
                  const VaeTraining& training, StageTimer& timer) {
  const Config& config = detected.request.config;
  const auto& rows = detected.embedded.rows;
  const auto bytes = [&](const auto&) { return bytes_of(rows.values); };
  if (config.method == Method::r_peaks)
    return timer.timed(
        context, "score", [&] { return score_around_r_peaks(context, detected.embedded, model, config.score); }, bytes);
  auto row_scores = timer.timed(
      context, "score", [&] { return to_host(context, score_rows(context, model, rows)); }, bytes);
  return score_as_published(std::move(row_scores), training, config.vae.kl_weight, config.score);
}

// Classifies the beats by their waves and the other columns of their table, and includes their classes in the ranking.
// Returns the rhythms that the model recognises.
template <class Context>
Rhythms classify_beats(Context& context, const DetectedBeats<Context>& detected, BeatAnalysis& analysis,
                       StageTimer& timer) {
  const auto& [opened, input, index, beats, embedded, models, request] = detected;
  const Config& config = request.config;
  const Recording<Context>& recording = opened.recording;
  const RankedBeats<Context> ranked{
      recording, embedded, beats.found, beats.kept, *analysis.scored.ranking, index, *input.sample_rate_hz};
  const auto row_bytes = [&](const auto&) { return bytes_of(embedded.rows.values); };
  const auto sample_bytes = [&](const auto&) { return bytes_of_samples(recording); };
  const auto known = timer.timed(
      context, "templates", [&] { return shapes_and_intervals(context, ranked, config.rows, kThreadsDuringTraining); },
      row_bytes);
  analysis.waves = {
      .beats = timer.timed(
          context, "waves", [&] { return delineated_beats(context, ranked, known, models.waves, config.waves); },
          sample_bytes),
      .model_sha256 = models.waves.sha256};
  const auto table = timer.timed(
      context, "features", [&] { return table_of_beats(context, ranked, known, *analysis.waves.beats); }, sample_bytes);
  const auto table_bytes = [&](const auto&) { return static_cast<std::int64_t>(table.values().size_bytes()); };
  analysis.classes = {.findings = timer.timed(
                          context, "classes",
                          [&] { return classified_beats(context, ranked, known, table, models.classes); }, table_bytes),
                      .model_sha256 = models.classes.sha256};
  const Findings& findings = *analysis.classes.findings;
  score_by_classes(findings, beats.found, beats.kept, config.score, analysis.scored);
  auto rhythms = timer.timed(
      context, "rhythms",
      [&] {
        return recognised_rhythms(context, table, findings.posteriors, beats.found.r_peaks, ranked.sample_rate_hz,
                                  static_cast<double>(input.samples) / ranked.sample_rate_hz, models.rhythms,
                                  config.rhythm_model.source);
      },
      table_bytes);
  if (config.output.features) analysis.classes.table = table_on_host(context, table);
  return rhythms;
}

// Finds the episodes from the rhythms, the beats and the signal itself, and removes the waves that cannot be determined
// in them.
template <class Context>
void find_episodes(Context& context, const DetectedBeats<Context>& detected, Rhythms rhythms, BeatAnalysis& analysis,
                   StageTimer& timer) {
  const auto& [opened, input, index, beats, embedded, models, request] = detected;
  const RhythmBeats of_rhythm = rhythm_beats(beats.found, *analysis.classes.findings, *input.sample_rate_hz);
  analysis.rhythm = {
      .findings = timer.timed(
          context, "episodes",
          [&] {
            return rhythm_findings(context, of_rhythm, beats.evidence ? &*beats.evidence : nullptr, rhythms,
                                   static_cast<double>(input.samples), request.config.episodes);
          },
          [&](const auto&) { return static_cast<std::int64_t>(beats.found.r_peaks.size() * sizeof(double)); }),
      .recognised = std::move(rhythms),
      .model_sha256 = models.rhythms.sha256};
  const auto& episodes = analysis.rhythm.findings->episodes.list;
  BeatWaves& waves = *analysis.waves.beats;
  take_waves_off(waves, beats_without_waves(of_rhythm, episodes));
  remove_non_conducted_in_fibrillation(episodes, waves);
  analysis.waves.summary =
      summary_of_waves(waves, beats.found, *analysis.classes.findings, *input.sample_rate_hz, input.samples);
}

// Draws the templates for the report.
template <class Context>
TemplateShapes draw_templates(Context& context, const DetectedBeats<Context>& detected, const Findings& findings,
                              StageTimer& timer) {
  return timer.timed(
      context, "shapes",
      [&] {
        return template_shapes(context, detected.embedded, detected.beats, findings, detected.request.config.rows);
      },
      [](const TemplateShapes& drawn) { return std::ssize(drawn.means) * std::int64_t{sizeof(float)}; });
}

RowScores no_row_scores(std::int64_t rows, std::int64_t latents) {
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
  return {std::vector(rows, kNone), std::vector(rows, kNone), std::vector(rows * latents, kNone)};
}

}  // namespace

template <class Context>
VaeResult trained_or_saved(Context& context, const DetectedBeats<Context>& detected, StageTimer& timer, Log& log) {
  const RunRequest& request = detected.request;
  const auto& rows = detected.embedded.rows;
  if (request.model)
    return timer.timed(
        context, "model", [&] { return saved_model(context, rows, request); },
        [](const auto&) { return std::int64_t{0}; });
  if (!why_no_model(detected.beats, request.config).empty()) return {VaeModel(), {}};
  return timer.timed(
      context, "train", [&] { return train(context, detected, log); },
      [&](const auto& trained) { return std::ssize(trained.training.loss_per_epoch) * bytes_of(rows.values); });
}

template <class Context>
RowScores timed_row_scores(Context& context, const DetectedBeats<Context>& detected, const VaeModel& model,
                           StageTimer& timer) {
  const auto& embedded = detected.embedded;
  if (!model.exists()) return no_row_scores(embedded.rows.count, detected.request.config.vae.latents);
  return timer.timed(
      context, "latents", [&] { return row_scores_around_r_peaks(context, embedded, model); },
      [&](const auto&) { return bytes_of(embedded.rows.values); });
}

template <class Context>
ModelFacts model_facts(VaeResult trained, const RowScores& row_scores, const DetectedBeats<Context>& detected) {
  const RunRequest& request = detected.request;
  const Config& config = request.config;
  if (!trained.model.exists()) return no_model(detected.beats, config);
  ModelFacts model{.parameters = trained.model.parameters(), .training = std::move(trained.training), .diagnosis = {}};
  model.in_scores = config.method == Method::published || config.score.model_weight > 0;
  model.most_drift = config.score.most_drift;
  model.diagnosis = diagnose(row_scores, model.training, config.vae.latents);
  if (request.model) {
    model.source = request.model->path;
    model.training_spread = request.model->training_spread;
    if (model.training_spread) model.drift = drift_from(*model.training_spread, row_scores, model.training.split);
  } else {
    model.training_spread = training_spread(row_scores, model.training.split);
  }
  if (const auto& leads = detected.embedded.leads; !leads.empty())
    in_input_unit(leads.front().beats.reference, std::span(model.training.generated));
  return model;
}

bool ranks_without_model(const Config& config) {
  return config.method == Method::r_peaks && config.score.model_weight == 0;
}

template <class Context>
BeatAnalysis analysed_beats(Context& context, const DetectedBeats<Context>& detected, const VaeModel& model,
                            const VaeTraining& training, StageTimer& timer) {
  BeatAnalysis analysis{.scored = score(context, detected, model, training, timer)};
  if (!analysis.scored.ranking) return analysis;
  Rhythms rhythms = classify_beats(context, detected, analysis, timer);
  StageTimer concurrent;
  run_concurrently(
      context,
      [&](Context& on) {
        run_together([&] { find_episodes(on, detected, std::move(rhythms), analysis, timer); },
                     [&] { analysis.ranks = ranks_in_good_signal(detected.beats, analysis.scored); });
      },
      [&](Context& other) {
        analysis.templates = draw_templates(other, detected, *analysis.classes.findings, concurrent);
      },
      kThreadsDuringTraining);
  timer.add(concurrent.take());
  return analysis;
}

#define BEATSCAN_TIMED_RANKING(Context)                                                                              \
  template VaeResult trained_or_saved(Context&, const DetectedBeats<Context>&, StageTimer&, Log&);                   \
  template RowScores timed_row_scores(Context&, const DetectedBeats<Context>&, const VaeModel&, StageTimer&);        \
  template ModelFacts model_facts(VaeResult, const RowScores&, const DetectedBeats<Context>&);                       \
  template BeatAnalysis analysed_beats(Context&, const DetectedBeats<Context>&, const VaeModel&, const VaeTraining&, \
                                       StageTimer&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_TIMED_RANKING)

}  // namespace beatscan
