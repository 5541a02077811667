#include "app/pipeline/pipeline.h"

#include <algorithm>
#include <new>
#include <utility>

#include "app/common/log.h"
#include "app/common/sha256.h"
#include "app/common/whole_file.h"
#include "app/output/report_overview.h"
#include "app/pipeline/diary.h"
#include "app/pipeline/models.h"
#include "app/pipeline/progress.h"
#include "app/pipeline/sample_rate.h"
#include "app/pipeline/timed_stages.h"
#include "kernels/runtime/beside.h"
#include "kernels/runtime/error.h"
#include "kernels/waves/window.h"
#include "stages/common/counted.h"
#include "stages/common/interrupt.h"
#include "stages/common/number_text.h"
#include "stages/io/input.h"
#include "stages/io/recording/few_values.h"
#include "stages/score/score.h"

namespace beatscan {
namespace {

// Throws if a recording is too short or flat.
void check_analysable(const InputFacts& input) {
  const std::string path = input.path.string();
  if (input.samples < 2) fail(ErrorKind::unanalysable, path, "too short: one sample");
  if (input.range.min == input.range.max)
    fail(ErrorKind::unanalysable, path,
         "flat: all " + std::to_string(input.samples) + " samples are " + number_text(input.range.min, 6) + " ('" +
             input.signal.name + "'; another is chosen by --set ingest.column=NAME)");
}

template <class Context>
std::vector<LeadFacts> lead_facts(const Recording<Context>& recording) {
  std::vector<LeadFacts> facts;
  for (const auto& lead : recording.leads)
    facts.push_back({lead.name, lead.unit, lead.missing, lead.gap_firsts.size(), lead.range, lead.span, lead.scale});
  return facts;
}

// Adds the events of a diary to those of the recording, in order of time. Leaves out those beyond its ends.
void add_diary(const std::filesystem::path& path, InputFacts& input) {
  if (path.empty()) return;
  auto& events = input.signal.events;
  const double length_s = static_cast<double>(input.samples) / input.sample_rate_hz.value_or(1);
  std::int64_t outside = 0;
  for (auto& event : read_diary(path, input.signal.start))
    if (event.time_s >= 0 && event.time_s <= length_s)
      events.push_back(std::move(event));
    else
      ++outside;
  std::ranges::stable_sort(events, {}, &FileEvent::time_s);
  if (outside > 0)
    input.warnings.push_back(counted(outside, "event", "events") + " of the diary " + by_count(outside, "lies", "lie") +
                             " outside of the recording and " + by_count(outside, "is", "are") +
                             " left out: check the times");
}

template <class Context>
InputFacts input_facts(Context& context, const OpenedRecording<Context>& opened, const RunRequest& request) {
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
  add_diary(request.events, input);
  if (!opened.rate.warning.empty()) input.warnings.push_back(opened.rate.warning);
  if (auto uncertainty = unit_uncertainty(input, request.config.method); !uncertainty.empty())
    input.warnings.push_back(std::move(uncertainty));
  if (request.config.method == Method::r_peaks && opened.rate.hz && *opened.rate.hz > waves::kMostRateHz)
    input.warnings.push_back("shapes and waves are measured at up to " + number_text(waves::kMostRateHz, 6) +
                             " Hz: beat classes rest on intervals alone, resample the recording");
  if (opened.rate.hz)
    for (auto& warning : few_values_warnings(context, recording, *opened.rate.hz))
      input.warnings.push_back(std::move(warning));
  return input;
}

// Appends a unit warning, if there is one, to the error of a failed training.
template <class Work>
auto saying(const std::string& uncertainty, Work&& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (uncertainty.empty() || error.kind() != ErrorKind::unanalysable) throw;
    throw Error(error.kind(), error.what() + std::string("; ") + uncertainty);
  }
}

// What the model gives.
struct ModelOutput {
  VaeModel model;
  ModelFacts facts;
  ReportData drawn;  // the part of the report that does not depend on scores
};

template <class Context>
ModelOutput model_output(Context& context, const DetectedBeats<Context>& detected, VaeResult trained,
                         const RowScores& row_scores, StageTimer& timer) {
  const Config& config = detected.request.config;
  const auto& recording = detected.opened.recording;
  ModelOutput output{
      .model = trained.model, .facts = model_facts(std::move(trained), row_scores, detected), .drawn = {}};
  timer.timed(
      context, "overview",
      [&] {
        const auto gaps = drawn_gaps(context, recording, config.quality.bridge_s, detected.input.sample_rate_hz);
        draw_overview(context, recording, detected.embedded, gaps, output.drawn);
        if (output.model.exists())
          draw_grid(context, detected.embedded, output.model, output.facts, row_scores, config.vae.latents,
                    output.drawn);
        return bytes_of_samples(recording);
      },
      [](std::int64_t bytes) { return bytes; });
  return output;
}

struct ModelAndAnalysis {
  ModelOutput model;
  BeatAnalysis analysis;
};

// Trains the model, analyses the beats and draws the overview of the report. If the scores do not need the model, one
// thread does what needs it, while another one analyses the beats.
template <class Context>
ModelAndAnalysis trained_and_analysed(Context& context, const DetectedBeats<Context>& detected, StageTimer& timer,
                                      Log& log) {
  const Config& config = detected.request.config;
  const auto train = [&](Context& on) {
    auto trained = saying(unit_uncertainty(detected.input, config.method),
                          [&] { return trained_or_saved(on, detected, timer, log); });
    log.end_progress();
    return trained;
  };
  ModelAndAnalysis both;
  auto& [model, analysis] = both;
  if (!ranks_without_model(config)) {
    auto trained = train(context);
    analysis = analysed_beats(context, detected, trained.model, trained.training, timer);
    if (!trained.model.exists()) analysis.scored.rows = timed_row_scores(context, detected, trained.model, timer);
    model = model_output(context, detected, std::move(trained), analysis.scored.rows, timer);
    return both;
  }
  RowScores row_scores;
  StageTimer concurrent;
  run_concurrently(
      context,
      [&](Context& on) {
        auto trained = train(on);
        row_scores = timed_row_scores(on, detected, trained.model, timer);
        model = model_output(on, detected, std::move(trained), row_scores, timer);
      },
      [&](Context& other) { analysis = analysed_beats(other, detected, VaeModel(), {}, concurrent); });
  timer.add(concurrent.take());
  analysis.scored.rows = std::move(row_scores);
  return both;
}

// Computes the signal-quality index, for method r_peaks.
template <class Context>
QualityFacts quality_facts(Context& context, const OpenedRecording<Context>& opened, const TrainedQualityModel& model,
                           Method method, StageTimer& timer) {
  if (method != Method::r_peaks) return {};
  QualityFacts quality{
      .index = timer.timed(
          context, "quality", [&] { return quality_index(context, opened.recording, model, *opened.rate.hz); },
          [&](const auto&) { return bytes_of_samples(opened.recording); }),
      .model_sha256 = ""};
  if (quality.index.exists()) quality.model_sha256 = model.sha256;
  return quality;
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
RunFacts run_facts(Context& context, const RunRequest& request, const OpenedRecording<Context>& opened,
                   StageTimer& timer) {
  constexpr bool kOnDevice = std::is_same_v<Context, Cuda>;
  RunFacts run{.command = request.command,
               .device_kind = kOnDevice ? "cuda" : "cpu",
               .device = describe(context),
               .stages = timer.take(),
               .input_stamps = opened.input.stamps};
  if constexpr (kOnDevice) run.pool = statistics_with_beside(context);
  run.stages.insert(run.stages.begin(), opened.ingest);
  return run;
}

template <class Context>
RunResult analyse_in_stages(Context& context, const OpenedRecording<Context>& opened, const RunRequest& request,
                            Log& log) {
  const auto start = Clock::now();
  const Recording<Context>& recording = opened.recording;
  const Config& config = request.config;
  StageTimer timer;
  auto input = input_facts(context, opened, request);
  check_analysable(input);
  const auto models = request.models ? request.models : std::make_shared<const Models>(read_models(config));
  auto quality = quality_facts(context, opened, models->quality, config.method, timer);
  auto beats = timed_beats(context, recording, quality.index, config, opened.rate.hz, request.save_arrays, timer);
  const EmbeddedBeats<Context>& embedded = beats.embedded;
  auto [model, analysis] = trained_and_analysed(
      context, DetectedBeats<Context>{opened, input, quality.index, beats.facts, embedded, *models, request}, timer,
      log);
  RunResult result{.input = std::move(input),
                   .quality = std::move(quality),
                   .beats = std::move(beats.facts),
                   .scored = std::move(analysis.scored),
                   .classes = std::move(analysis.classes),
                   .waves = std::move(analysis.waves),
                   .rhythm = std::move(analysis.rhythm),
                   .ranks = std::move(analysis.ranks),
                   .model = std::move(model.facts),
                   .run = {},
                   .report = std::move(model.drawn)};
  result.report.templates = std::move(analysis.templates);
  timer.timed(
      context, "report",
      [&] {
        fill_report(context, recording, embedded, model.model, result, config, result.report);
        return std::ssize(result.report.strips) + std::ssize(result.report.finding_strips);
      },
      [](std::int64_t samples) { return samples * std::int64_t{sizeof(float)}; });
  if (request.save_arrays) result.arrays = arrays_of(context, recording, beats);
  result.run = run_facts(context, request, opened, timer);
  result.input.sha256 = opened.input.sha256->get();
  result.run.wall_s = opened.ingest.seconds + seconds_between(start, Clock::now());
  return result;
}

// Adds the recording's name to errors of the signal stages, and to a lack of memory: in a batch only this recording
// fails, because the others may be shorter.
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
  std::vector<std::string> stamps;
  for (const auto& part : files->parts) stamps.push_back(stamp_of(part.path));
  auto sha256 = std::make_shared<const FileHash>(files->parts);
  return {std::move(files), std::move(sha256), std::move(stamps)};
}

template <class Context>
OpenedRecording<Context> open_recording(Context& context, const RunRequest& request, const OpenedInput& input,
                                        const BytesReport& on_bytes) {
  const int requests = checkpoint_requests();
  StageTimer timer;
  auto recording = naming(input.files->path, [&] {
    return timer.timed(
        context, "ingest",
        [&] { return read_recording(context, *input.files, ingest_options(request.config), on_bytes); },
        [](const auto& r) { return r.bytes + bytes_of_samples(r); });
  });
  auto rate = sample_rate_of(recording.signal, request.config, request.rate, request.input);
  if (rate.hz && rate.hz != recording.signal.sample_rate_hz) measure_amplitudes(context, recording, *rate.hz);
  return {input, std::move(recording), std::move(rate), timer.take().front(), requests};
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
