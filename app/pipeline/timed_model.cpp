#include "app/pipeline/timed_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "app/common/sha256.h"
#include "app/pipeline/checkpoint.h"
#include "app/pipeline/pipeline.h"
#include "app/pipeline/progress.h"
#include "kernels/runtime/error.h"
#include "stages/common/counted.h"
#include "stages/score/score.h"
#include "stages/windows/embedded_beats.h"

namespace beatscan {
namespace {

// On two devices of the same identity, a training gives the same bytes.
std::string identity_of(const Cpu&) { return "cpu"; }
#ifdef BEATSCAN_WITH_CUDA
std::string identity_of(const Cuda& cuda) { return describe(cuda).name; }
#endif

// Trains a model, or continues an interrupted training.
template <class Context>
VaeResult train(Context& context, const Rows<Context>& rows, const RunRequest& request,
                const OpenedRecording<Context>& opened, Log& log) {
  const FileHash& sha256 = *opened.input.sha256;
  const auto identity = [&] { return training_identity(request.config, sha256.get(), identity_of(context)); };
  Checkpoints checkpoints(request.checkpoint, request.config, identity, opened.checkpoint_requests, log);
  const TrainingStart start{request.config.seed, {}, checkpoints.start(request.resume)};
  const VaeOptions& options = request.config.vae;
  auto progress = training_progress(log, request.input.string());
  return train_vae(context, rows, options, start, checkpoints.reporting(std::move(progress)));
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

}  // namespace

bool has_few_beats(const BeatFacts& beats, const Config& config) {
  return config.method == Method::r_peaks && std::ranges::count(beats.found.trusted, 1) < config.vae.least_beats;
}

template <class Context>
VaeResult trained_or_saved(Context& context, const Rows<Context>& rows, bool few_beats, const RunRequest& request,
                           const OpenedRecording<Context>& opened, StageTimer& timer, Log& log) {
  if (!request.model && few_beats) return {VaeModel(), {}};
  if (request.model)
    return timer.timed(
        context, "model", [&] { return saved_model(context, rows, request); },
        [](const auto&) { return std::int64_t{0}; });
  return timer.timed(
      context, "train", [&] { return train(context, rows, request, opened, log); },
      [&](const auto& trained) { return std::ssize(trained.training.loss_per_epoch) * bytes_of(rows.values); });
}

template <class Context>
ModelFacts model_facts(VaeResult trained, const RowScores& row_scores, const EmbeddedBeats<Context>& embedded,
                       const RunRequest& request) {
  ModelFacts model{.parameters = trained.model.parameters(), .training = std::move(trained.training), .diagnosis = {}};
  if (request.model) model.source = request.model->path;
  const Config& config = request.config;
  model.in_scores = config.method == Method::published || config.score.model_weight > 0;
  model.most_drift = config.score.most_drift;
  model.diagnosis = diagnose(row_scores, model.training, request.config.vae.latents);
  model.usual = request.model ? request.model->usual : usual_spread(row_scores, model.training.split);
  if (!embedded.leads.empty())
    in_input_unit(embedded.leads.front().beats.reference, std::span(model.training.generated));
  return model;
}

ModelFacts no_model(const BeatFacts& beats, const Config& config) {
  return {.why_none = counted(std::ranges::count(beats.found.trusted, 1), "beat") +
                      " to learn from, fewer than vae.least_beats (" + std::to_string(config.vae.least_beats) +
                      "); `beatscan score --model` takes the model of another recording",
          .training = {.test_loss = std::numeric_limits<double>::quiet_NaN(),
                       .split = std::vector<Split>(beats.kept.size(), Split::none)}};
}

#define BEATSCAN_TIMED_MODEL(Context)                                                          \
  template VaeResult trained_or_saved(Context&, const Rows<Context>&, bool, const RunRequest&, \
                                      const OpenedRecording<Context>&, StageTimer&, Log&);     \
  template ModelFacts model_facts(VaeResult, const RowScores&, const EmbeddedBeats<Context>&, const RunRequest&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_TIMED_MODEL)

}  // namespace beatscan
