#include "app/run/pipeline.h"

#include <cstdio>
#include <new>
#include <utility>

#include "app/run/checkpoint.h"
#include "app/run/progress.h"
#include "app/run/timed_beats.h"
#include "kernels/runtime/error.h"
#include "stages/methods/around_r_peaks.h"
#include "stages/methods/as_published.h"

namespace beatscan {
namespace {

std::string formatted(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

// Throws where a recording is too short or flat.
void check_analysable(const InputFacts& input) {
  const std::string path = input.path.string();
  if (input.samples < 2) fail(ErrorKind::unanalysable, path, "too short: one sample");
  if (input.range.min == input.range.max)
    fail(ErrorKind::unanalysable, path,
         "flat: all " + std::to_string(input.samples) + " samples are " + formatted("%g", input.range.min) + " ('" +
             input.signal.name + "'; another is chosen by --set ingest.column=NAME)");
}

template <class Context>
std::vector<LeadFacts> lead_facts(const Recording<Context>& recording) {
  std::vector<LeadFacts> facts;
  for (const auto& lead : recording.leads)
    facts.push_back({lead.name, lead.unit, lead.missing, lead.gap_firsts.size(), lead.range});
  return facts;
}

template <class Context>
InputFacts input_facts(const OpenedRecording<Context>& opened, const RunRequest& request) {
  const Recording<Context>& recording = opened.recording;
  InputFacts input{.path = request.input,
                   .name = request.name,
                   .bytes = opened.input.files->bytes,
                   .signal = recording.signal,
                   .sample_rate_hz = opened.rate.hz,
                   .sample_rate_source = opened.rate.source,
                   .samples = recording.samples(),
                   .missing = recording.leads.front().missing,
                   .gaps = recording.leads.front().gap_firsts.size(),
                   .bad = recording.bad,
                   .range = recording.leads.front().range,
                   .leads = lead_facts(recording),
                   .warnings = recording.signal.warnings};
  for (const auto& part : opened.input.files->parts) input.files.push_back(part.path.string());
  if (!opened.rate.warning.empty()) input.warnings.push_back(opened.rate.warning);
  return input;
}

// On two devices of the same identity a training gives the same bytes.
std::string identity_of(const Cpu&) { return "cpu"; }
#ifdef BEATSCAN_WITH_CUDA
std::string identity_of(const Cuda& cuda) { return describe(cuda).name; }
#endif

// Trains a model, or goes on with a training that was interrupted.
template <class Context>
VaeResult train(Context& context, const Rows<Context>& rows, const RunRequest& request, const FileHash& sha256,
                Log& log) {
  const auto identity = [&] { return training_identity(request.config, sha256.get(), identity_of(context)); };
  const Checkpoints checkpoints(request.checkpoint, request.config, identity, log);
  const TrainingStart start{request.config.seed, {}, checkpoints.start(request.resume)};
  const VaeOptions& options = request.config.vae;
  return train_vae(context, rows, options, start, checkpoints.reporting(training_progress(log, options.epochs)));
}

template <class Context>
VaeResult saved_model(Context& context, const Rows<Context>& rows, const RunRequest& request) {
  VaeOptions options = request.config.vae;
  options.epochs = 0;
  return train_vae(context, rows, options, {request.config.seed, request.model->parameters});
}

template <class Context>
VaeResult trained_or_saved(Context& context, const Rows<Context>& rows, const RunRequest& request,
                           const FileHash& sha256, StageTimer& timer, Log& log) {
  if (request.model)
    return timer.timed(
        context, "model", [&] { return saved_model(context, rows, request); },
        [](const auto&) { return std::int64_t{0}; });
  return timer.timed(
      context, "train", [&] { return train(context, rows, request, sha256, log); },
      [&](const auto&) { return request.config.vae.epochs * bytes_of(rows.values); });
}

template <class Context>
ScoredBeats score(Context& context, const EmbeddedBeats<Context>& embedded, const VaeResult& trained,
                  const Config& config, StageTimer& timer) {
  const auto& rows = embedded.rows;
  const auto bytes = [&](const auto&) { return bytes_of(rows.values); };
  if (config.method == Method::r_peaks)
    return timer.timed(
        context, "score", [&] { return score_around_r_peaks(context, embedded, trained.model, config.score); }, bytes);
  auto row_scores = timer.timed(
      context, "score", [&] { return to_host(context, score_rows(context, trained.model, rows)); }, bytes);
  return score_as_published(std::move(row_scores), trained.training, config.vae.kl_weight, config.score);
}

template <class Context>
Findings findings(Context& context, const EmbeddedBeats<Context>& embedded, const RunResult& result,
                  const Config& config, StageTimer& timer) {
  const auto& beats = result.beats;
  return timer.timed(
      context, "findings",
      [&] {
        return findings_of(context, embedded, config.rows, beats.found, beats.kept, result.scored.ranking->waveform,
                           config.findings);
      },
      [&](const auto&) { return bytes_of(embedded.rows.values); });
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

template <class Context>
ModelFacts model_facts(VaeResult trained, const RowScores& row_scores, const EmbeddedBeats<Context>& embedded,
                       const RunRequest& request) {
  ModelFacts model{.parameters = trained.model.parameters(), .training = std::move(trained.training), .diagnosis = {}};
  if (request.model) model.source = request.model->path;
  model.diagnosis = diagnose(row_scores, model.training, request.config.vae.latents);
  if (!embedded.leads.empty())
    in_input_unit(embedded.leads.front().beats.reference, std::span(model.training.generated));
  return model;
}

template <class Context>
SavedArrays arrays_of(Context& context, const Recording<Context>& recording, TimedBeats<Context>& beats) {
  SavedArrays arrays{.response = std::move(beats.response), .embeddings = to_host(context, beats.embedded.rows.values)};
  for (const auto& lead : recording.leads) {
    const auto samples = to_host(context, lead.samples);
    arrays.signal.insert(arrays.signal.end(), samples.begin(), samples.end());
  }
  return arrays;
}

template <class Context>
RunFacts run_facts(Context& context, const RunRequest& request, const StageTime& ingest, StageTimer& timer) {
  constexpr bool kOnDevice = std::is_same_v<Context, Cuda>;
  RunFacts run{.command = request.command,
               .device_kind = kOnDevice ? "cuda" : "cpu",
               .device = describe(context),
               .stages = timer.take()};
  if constexpr (kOnDevice) run.pool = context.pool().statistics();
  run.stages.insert(run.stages.begin(), ingest);
  return run;
}

template <class Context>
RunResult analyse_in_stages(Context& context, const OpenedRecording<Context>& opened, const RunRequest& request,
                            Log& log) {
  const auto start = Clock::now();
  const Recording<Context>& recording = opened.recording;
  const Config& config = request.config;
  const FileHash& sha256 = *opened.input.sha256;
  StageTimer timer;
  RunResult result{.input = input_facts(opened, request)};
  check_analysable(result.input);
  auto beats = timed_beats(context, recording, config, opened.rate.hz, request.save_arrays, timer);
  const auto& embedded = beats.embedded;
  result.beats = std::move(beats.facts);
  auto trained = trained_or_saved(context, embedded.rows, request, sha256, timer, log);
  const VaeModel model = trained.model;
  result.scored = score(context, embedded, trained, config, timer);
  log.end_progress();
  if (result.scored.ranking) {
    result.findings = findings(context, embedded, result, config, timer);
    result.rhythm = rhythm(context, result, config, timer);
  }
  result.model = model_facts(std::move(trained), result.scored.rows, embedded, request);
  result.report = timer.timed(
      context, "report", [&] { return report_data(context, recording, embedded, model, result, config); },
      [&](const auto&) { return bytes_of_samples(recording); });
  if (request.save_arrays) result.arrays = arrays_of(context, recording, beats);
  result.run = run_facts(context, request, opened.ingest, timer);
  result.input.sha256 = sha256.get();
  result.run.wall_s = opened.ingest.seconds + seconds_between(start, Clock::now());
  return result;
}

// Adds the recording's name to errors of the signal stages, and to a lack of memory: in a batch only this recording
// fails by it, for the others may be shorter.
template <class Work>
auto naming(const std::filesystem::path& input, Work&& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::unanalysable || std::string(error.what()).starts_with(input.string())) throw;
    fail(error.kind(), input.string(), error.what());
  } catch (const std::bad_alloc&) {
    fail(ErrorKind::internal, input.string(),
         "out of memory: this machine, or what it grants the process, has too little for this recording");
  }
}

}  // namespace

OpenedInput open_input(const RunRequest& request) {
  auto files = std::make_shared<const Input>(resolve_input(request.input, ingest_options(request.config)));
  auto sha256 = std::make_shared<const FileHash>(files->parts);
  return {std::move(files), std::move(sha256)};
}

template <class Context>
OpenedRecording<Context> open_recording(Context& context, const RunRequest& request, const OpenedInput& input,
                                        const BytesReport& on_bytes) {
  StageTimer timer;
  auto recording = naming(input.files->path, [&] {
    return timer.timed(
        context, "ingest",
        [&] { return read_recording(context, *input.files, ingest_options(request.config), on_bytes); },
        [](const auto& r) { return r.bytes + bytes_of_samples(r); });
  });
  auto rate = sample_rate_of(recording.signal, request.config, request.rate, request.input);
  return {input, std::move(recording), std::move(rate), timer.take().front()};
}

template <class Context>
RunResult analyse(Context& context, OpenedRecording<Context> opened, const RunRequest& request, Log& log) {
  return naming(request.input, [&] { return analyse_in_stages(context, opened, request, log); });
}

#define BEATSCAN_PIPELINE(Context)                                                                  \
  template OpenedRecording<Context> open_recording(Context&, const RunRequest&, const OpenedInput&, \
                                                   const BytesReport&);                             \
  template RunResult analyse(Context&, OpenedRecording<Context>, const RunRequest&, Log&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_PIPELINE)

}  // namespace beatscan
