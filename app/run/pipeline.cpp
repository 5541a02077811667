#include "app/run/pipeline.h"

#include <cstdio>
#include <new>

#include "app/run/checkpoint.h"
#include "app/run/progress.h"

namespace beatscan {
namespace {

template <class Context>
constexpr bool kOnDevice = std::is_same_v<Context, Cuda>;

template <class T, class Context>
std::int64_t bytes_of(const Buffer<T, Context>& buffer) {
  return buffer.size() * static_cast<std::int64_t>(sizeof(T));
}

std::string formatted(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

// Filter and segmentation in the precision asked for. The response is gone when this returns: it is the largest array.
template <class Real, class Context>
Beats<Context> filter_and_segment(Context& context, const Recording<Context>& recording, const Config& config,
                                  StageTimer& timer, RunResult& result) {
  const auto rate = result.sample_rate_hz;
  const auto response = timer.timed(
      context, "filter", [&] { return ricker_response<Real>(context, recording.samples.span(), config.filter, rate); },
      [&](const auto& r) { return bytes_of(recording.samples) + bytes_of(r); });
  if (result.arrays) result.arrays->response = to_host(context, response.span());
  return timer.timed(
      context, "segment", [&] { return find_beats(context, response.span(), config.segment, rate); },
      [&](const auto& b) { return bytes_of(response) + bytes_of(b.starts); });
}

// Rows as the published pipeline makes them.
template <class Context>
Rows<Context> published_rows(Context& context, const Recording<Context>& recording, const Config& config,
                             StageTimer& timer, RunResult& result) {
  const auto beats = config.filter.precision == Precision::float64
                         ? filter_and_segment<double>(context, recording, config, timer, result)
                         : filter_and_segment<float>(context, recording, config, timer, result);
  auto rows = timer.timed(
      context, "embed", [&] { return embed_beats(context, recording, beats, config.embed, result.sample_rate_hz); },
      [](const auto& r) { return 2 * bytes_of(r.values); });
  result.samples_to_peak = beats.peak_offset;
  result.beats.fates = to_host(context, rows.fates);
  for (const std::int64_t start : to_host(context, beats.starts))
    result.beats.r_peaks.push_back(static_cast<double>(start + beats.peak_offset));
  for (const Fate fate : result.beats.fates) result.beats.broken.push_back(fate == Fate::in_gap);
  result.beats.broken.pop_back();  // behind the last there is no interval; there are two beats at least
  return rows;
}

// Around R peaks.
template <class Context>
struct Embedded {
  CentredBeats<Context> beats;
  RhythmBuffers<Context> rhythm;
};
template <class Context>
Embedded<Context> embedded_beats(Context& context, const Recording<Context>& recording, const Config& config,
                                 StageTimer& timer, RunResult& result) {
  const double rate = *result.sample_rate_hz;
  auto detection = timer.timed(
      context, "detect",
      [&] {
        return detect_r_peaks(
            context, recording.samples.span(), config.detect, config.quality, rate,
            {.gaps = {recording.gap_firsts, recording.gap_lasts}, .keep_envelope = result.arrays.has_value()});
      },
      [&](const auto& d) { return bytes_of(recording.samples) + bytes_of(d.r_peaks); });
  if (result.arrays) result.arrays->response = to_host(context, detection.envelope);
  detection.envelope = {};
  return timer.timed(
      context, "embed",
      [&] {
        const auto beats = list_beats(context, recording, detection, {config.rows.before_s, config.rows.after_s}, rate);
        auto rhythm = rhythm_of(context, beats, config.rhythm);
        auto rows = embed_r_peaks(context, recording, beats, rhythm, config.rows, rate);
        result.beats = to_host(context, beats);
        result.rhythm = to_host(context, rhythm);
        result.quality = std::move(detection.quality);
        result.samples_to_peak = nearest_sample(config.rows.before_s * rate);
        return Embedded<Context>{std::move(rows), std::move(rhythm)};
      },
      [](const auto& e) { return 2 * bytes_of(e.beats.rows.values); });
}

template <class Context>
void describe_recording(const Recording<Context>& recording, RunResult& result) {
  result.column = recording.signal.name;
  result.format = recording.signal.format;
  result.unit = recording.signal.unit;
  result.own_rate_hz = recording.signal.sample_rate_hz;
  result.samples_per_frame = recording.signal.samples_per_frame;
  result.input_warnings = recording.signal.warnings;
  result.samples = recording.samples.size();
  result.missing = recording.missing;
  result.bad = recording.bad;
  result.gaps = recording.gap_firsts.size();
  result.range = recording.range;
  if (result.samples < 2) throw Error(ErrorKind::unanalysable, result.input.string() + ": too short: one sample");
  if (recording.range.min == recording.range.max)
    throw Error(ErrorKind::unanalysable, result.input.string() + ": flat: all " + std::to_string(result.samples) +
                                             " samples are " + formatted("%g", recording.range.min) + " ('" +
                                             result.column + "'; another is chosen by --set ingest.column=NAME)");
}

// The same bytes are promised of the same kind of device.
std::string identity_of(const Cpu&) { return "cpu"; }
#ifdef BEATSCAN_WITH_CUDA
std::string identity_of(const Cuda& cuda) { return describe(cuda).name; }
#endif

// A training that can be interrupted and gone on with.
template <class Context>
VaeResult train_or_go_on(Context& context, const Rows<Context>& rows, const RunRequest& request, TrainingStart start,
                         Log& log) {
  const auto identity = [&] { return training_identity(request.config, request.sha256->get(), identity_of(context)); };
  const Checkpoints checkpoints(request.checkpoint, request.config, identity, log);
  start.state = checkpoints.start(request.resume);
  const VaeOptions& options = request.config.vae;
  return train_vae(context, rows, options, start, checkpoints.reporting(training_progress(log, options.epochs)));
}

// The model, trained or as it was saved, and every row's scores.
template <class Context>
VaeModel train_and_score(Context& context, const Embedded<Context>& embedded, const RunRequest& request,
                         StageTimer& timer, RunResult& result, Log& log) {
  const Config& config = request.config;
  const auto& rows = embedded.beats.rows;
  VaeOptions options = config.vae;
  TrainingStart start{config.seed, {}};
  if (request.parameters) {
    options.epochs = 0;
    start.parameters = *request.parameters;
    result.model_source = request.model;
  }
  auto trained = timer.timed(
      context, request.parameters ? "model" : "train",
      [&] {
        return request.parameters ? train_vae(context, rows, options, start)
                                  : train_or_go_on(context, rows, request, start, log);
      },
      [&](const auto&) { return options.epochs * bytes_of(rows.values); });
  result.row_scores = timer.timed(
      context, "score",
      [&] {
        const auto scores = score_rows(context, trained.model, rows);
        if (config.method == Method::published) return to_host(context, scores);
        result.ranking = rank_beats(context, embedded.beats, embedded.rhythm, trained.model, scores, config.score);
        return std::move(result.ranking->rows);
      },
      [&](const auto&) { return bytes_of(rows.values); });
  log.end_progress();
  result.scores = result.ranking
                      ? result.ranking->scores
                      : score_beats(result.row_scores, trained.training.split, config.vae.kl_weight, config.score);
  result.diagnosis = diagnose(result.row_scores, trained.training, config.vae.latents);
  result.kept = to_host(context, rows.kept);
  result.row_points = rows.points;
  result.parameters = trained.model.parameters();
  result.training = std::move(trained.training);
  in_input_unit(embedded.beats.reference, result.training.generated);
  return std::move(trained.model);
}

// Errors of the signal stages, and a lack of memory, speak of the recording; the file's name is added here.
template <class Work>
auto naming(const std::filesystem::path& input, Work&& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::unanalysable || std::string(error.what()).starts_with(input.string())) throw;
    throw Error(error.kind(), input.string() + ": " + error.what());
  } catch (const std::bad_alloc&) {  // of a batch this recording fails; the others may be shorter
    throw Error(ErrorKind::internal, input.string() +
                                         ": out of memory: this machine, or what it grants the process, has "
                                         "too little for this recording");
  }
}

}  // namespace

void open_input(RunRequest& request) {
  try {
    request.files = std::make_shared<const Input>(resolve_input(request.input, request.config.ingest));
    request.sha256 = std::make_shared<FileHash>(request.files->parts);
  } catch (const Error&) {
    request.unreadable = std::current_exception();
  }
}

std::string record_name(const std::filesystem::path& input) {
  if (input == "-") return "stdin";
  if (const auto header = wfdb_header_of(input)) return header->stem().string();
  const auto extension = input.extension();
  return extension == ".gz" || extension == ".zst" ? input.stem().stem().string() : input.stem().string();
}

template <class Context>
OpenedRecording<Context> open_recording(Context& context, const RunRequest& request, const BytesReport& on_bytes) {
  const Config& config = request.config;
  StageTimer timer;
  if (request.unreadable) std::rethrow_exception(request.unreadable);
  auto recording = naming(request.files->path, [&] {
    return timer.timed(
        context, "ingest", [&] { return read_recording(context, *request.files, config.ingest, on_bytes); },
        [](const auto& r) { return r.bytes + bytes_of(r.samples); });
  });
  auto rate = sample_rate_of(recording.signal, config, request.rate, request.input);
  return {std::move(recording), std::move(rate), timer.take().front()};
}

template <class Context>
RunResult analyse(Context& context, OpenedRecording<Context> opened, const RunRequest& request, Log& log) {
  const auto start = std::chrono::steady_clock::now();
  const Config& config = request.config;
  RunResult result{.input = request.input,
                   .name = record_name(request.input),
                   .sample_rate_hz = opened.rate.hz,
                   .sample_rate_source = opened.rate.source};
  if (request.save_arrays) result.arrays.emplace();
  StageTimer timer;
  return naming(request.input, [&] {
    const auto& recording = opened.recording;
    describe_recording(recording, result);
    if (!opened.rate.warning.empty()) result.input_warnings.push_back(opened.rate.warning);
    result.input_bytes = request.files->bytes;
    for (const auto& part : request.files->parts) result.input_files.push_back(part.path.string());
    Embedded<Context> embedded;  // by the published method rows alone
    if (config.method == Method::published)
      embedded.beats.rows = published_rows(context, recording, config, timer, result);
    else
      embedded = embedded_beats(context, recording, config, timer, result);
    const VaeModel model = train_and_score(context, embedded, request, timer, result, log);
    result.report = timer.timed(
        context, "report", [&] { return report_data(context, recording, embedded.beats, model, result, config); },
        [&](const auto&) { return bytes_of(recording.samples); });
    if (result.arrays) {
      result.arrays->signal = to_host(context, recording.samples);
      result.arrays->embeddings = to_host(context, embedded.beats.rows.values);
    }
    result.device_kind = kOnDevice<Context> ? "cuda" : "cpu";
    result.device = describe(context);
    if constexpr (kOnDevice<Context>) result.pool = context.pool().statistics();
    result.stages = timer.take();
    result.stages.insert(result.stages.begin(), opened.ingest);
    result.input_sha256 = request.sha256->get();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    result.wall_s = opened.ingest.seconds + elapsed.count();
    return std::move(result);
  });
}

template OpenedRecording<Cpu> open_recording(Cpu&, const RunRequest&, const BytesReport&);
template RunResult analyse(Cpu&, OpenedRecording<Cpu>, const RunRequest&, Log&);
#ifdef BEATSCAN_WITH_CUDA
template OpenedRecording<Cuda> open_recording(Cuda&, const RunRequest&, const BytesReport&);
template RunResult analyse(Cuda&, OpenedRecording<Cuda>, const RunRequest&, Log&);
#endif

}  // namespace beatscan
