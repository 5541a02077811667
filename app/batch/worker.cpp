#include "app/batch/worker.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/batch/plan.h"
#include "app/batch/resume.h"
#include "app/common/json.h"
#include "app/common/sha256.h"
#include "app/common/whole_file.h"
#include "app/config/config.h"
#include "app/evaluation/evaluate.h"
#include "app/evaluation/truth.h"
#include "app/evaluation/wave_quality.h"
#include "app/evaluation/wave_truth.h"
#include "app/output/advisories.h"
#include "app/output/beats_table.h"
#include "app/output/deidentify.h"
#include "app/output/output_folder.h"
#include "app/output/outputs.h"
#include "app/output/result_facts.h"
#include "app/output/run_result.h"
#include "app/output/summary_text.h"
#include "app/pipeline/progress.h"
#include "app/report/report.h"
#include "app/revision/corrections.h"
#include "app/revision/revise.h"
#include "kernels/machine/host_threads.h"
#include "kernels/runtime/current_device.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/pool.h"
#include "stages/common/counted.h"
#include "stages/common/one_line.h"
#include "stages/rhythm/episode.h"

namespace beatscan {

namespace {

struct Comparison {
  Json json;                          // null: no reference annotations
  std::vector<std::string> warnings;  // that the annotations belong to another recording, or are empty
};

std::vector<DetectedBeat> detected_beats(const RunResult& result) {
  std::vector<DetectedBeat> beats;
  beats.reserve(result.beats.found.r_peaks.size());
  for (const double r_peak : result.beats.found.r_peaks) beats.push_back({.sample = nearest_sample(r_peak)});
  for (std::size_t row = 0; row < result.beats.kept.size(); ++row) {
    auto& beat = beats[result.beats.kept[row]];
    beat.score = result.scored.scores.score[row];
    beat.anomalous = result.scored.scores.anomalous[row];
    if (result.scored.ranking) beat.baseline = result.scored.ranking->baseline.score[row];
  }
  if (result.classes.findings)
    for (std::size_t i = 0; i < beats.size(); ++i)
      beats[i].beat_class = letter_of(result.classes.findings->beat_classes[i]);
  return beats;
}

// Returns the episodes in whole samples, as in episodes.csv, which `evaluate` reads.
std::vector<LabelledStretch> stretches_of(const Episodes& episodes) {
  std::vector<LabelledStretch> stretches;
  for (const Episode& episode : episodes.list)
    stretches.push_back({std::round(episode.start), std::round(episode.end), std::string(name_of(episode.label))});
  return stretches;
}

// Returns the waves over all leads, as in beats.csv, which `evaluate` reads.
FoundWaves waves_over_leads(const RunResult& result) {
  FoundWaves found;
  for (const double r_peak : result.beats.found.r_peaks)
    found.beats_us.push_back(microseconds_at(nearest_sample(r_peak), *result.input.sample_rate_hz));
  static_assert(kWaveTimes.size() == kWaveFiducialNames.size());
  for (std::int64_t beat = 0; beat < result.waves.beats->beats(); ++beat)
    for (std::size_t i = 0; i < kWaveTimes.size(); ++i)
      if (const auto time_s = wave_time_s(result, beat, result.waves.beats->fiducials_of(beat)[kWaveTimes[i].second]))
        found.fiducials[i].push_back({std::llround(1e6 * *time_s), beat});
  add_non_conducted(result.report.non_conducted_p, *result.input.sample_rate_hz, found);
  return found;
}

void compare_waves_of(const RunResult& result, const std::filesystem::path& path, const SignalClock& clock,
                      Evaluation& evaluation) {
  const auto truth = read_wave_truth(path, clock, *result.input.sample_rate_hz);
  if (!truth) return;
  if (result.waves.beats && result.waves.beats->beats() > 0)
    evaluation.waves = compare_waves(*truth, waves_over_leads(result), evaluation.detection.tolerance_ms);
  else
    evaluation.warnings.push_back(no_waves_warning(path));
}

// Returns what `evaluate` would print for the result. An empty path: no comparison.
Comparison comparison_of(const RunResult& result, const std::filesystem::path& path) {
  if (path.empty()) return {nullptr, {}};
  const InputFacts& input = result.input;
  const auto own_rate = input.signal.sample_rate_hz;
  const SignalClock clock{own_rate ? own_rate : input.sample_rate_hz, input.signal.samples_per_frame};
  const auto truth = read_truth(path, clock);
  std::vector<LabelledStretch> rhythms;
  if (!is_csv(path)) rhythms = read_rhythms(path, clock, static_cast<double>(input.samples));
  const auto detected = detected_beats(result);
  ComparedResult both{.truth = path,
                      .rhythm_file = path,
                      .reference = truth,
                      .rhythms = rhythms,
                      .detected = detected,
                      .sample_rate_hz = *input.sample_rate_hz,
                      .samples = input.samples};
  if (result.rhythm.findings) both.episodes = stretches_of(result.rhythm.findings->episodes);
  Evaluation evaluation = compared(both);
  compare_waves_of(result, path, clock, evaluation);
  return {to_json(evaluation), std::move(evaluation.warnings)};
}

namespace fs = std::filesystem;

// Creates the page from the files in `output` and the table of beats, and moves `result.report` into it. Returns the
// line to print about the page. If the page cannot be created, the line reports that, and the result is still kept.
std::string write_report(OutputFolder& output, const Table& beats, RunResult& result, const fs::path& folder,
                         Log& log) {
  const auto start = std::chrono::steady_clock::now();
  std::string path, page;
  try {
    path = (folder / "report.html").string();  // with several recordings, names this one
    try {
      HeldResult held{beats, held_arrays(std::move(result.report), result.beats.row_points)};
      page = report_page(output.partial(), std::move(held));
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {
      log.warning(path + " was not written: " + error.what());
      return "";
    }
    output.write("report.html", page);
  } catch (const std::bad_alloc&) {
    log.warning((folder / "report.html").string() +
                " was not written: out of memory; create it with `beatscan report`");
    return "";
  }
  return "report     " + in_one_line(report_line(path, page, start)) + "\n";
}

// The resolved configuration: a run with it gives the same bytes, and other recordings keep their own rate.
Config config_of(const RunResult& result, const RunRequest& request) {
  Config config = request.config.output.deidentify ? deidentified(request.config) : request.config;
  if (result.input.sample_rate_source == "model") config.ingest.sample_rate_hz = result.input.sample_rate_hz;
  if (config.device == DeviceChoice::cuda) config.gpus.clear();  // the choice of GPUs changes no result
  return config;
}

// Keeps a reader's corrections of the result that is replaced: returns their path in the new result. Empty: there are
// none. Throws ErrorKind::input if they are of another recording.
fs::path kept_corrections(const RunResult& result, const Job& job, OutputFolder& output) {
  auto corrections = job.request.keep_corrections ? corrections_in(job.folder) : std::nullopt;
  if (!corrections) return {};
  check_recording(*corrections, result.input.sha256, job.folder / kCorrectionsFile);
  corrections->input_sha256 = job.request.config.output.deidentify ? "" : result.input.sha256;
  output.write(kCorrectionsFile, corrections_text(*corrections));
  return job.folder / kCorrectionsFile;
}

// Applies them to the new result, which is complete without them.
void apply_kept(const fs::path& corrections, const Job& job, Log& log) {
  if (corrections.empty()) return;
  try {
    revise({.folder = job.folder, .corrections = corrections, .out = {}}, log);
  } catch (const std::exception& error) {
    log.warning(std::string("the result is not revised: ") + error.what());
  }
}

// Returns what replaces the names of the files that a request reads.
Redaction redaction_of(const RunResult& result, const RunRequest& request) {
  std::vector<fs::path> paths(result.input.files.begin(), result.input.files.end());
  paths.insert(paths.end(), {request.input, request.truth, request.events});
  std::erase_if(paths, [](const fs::path& path) { return path.empty(); });
  return {paths, result.input.name};
}

// Writes the result of a recording and prints a summary. Leaves nothing behind on failure.
CohortRow written(RunResult result, const Job& job, OutputFolder& output, Log& log) {
  const RunRequest& request = job.request;
  const auto hash_of_truth = [&] { return request.truth.empty() ? "" : sha256_of(read_whole_file(request.truth)); };
  result.run.truth_sha256 = hash_of_truth();
  Comparison comparison = comparison_of(result, request.truth);
  if (hash_of_truth() != result.run.truth_sha256)
    fail(ErrorKind::input, request.truth.string(), "changed while it was read; run it again");
  result.input.warnings.insert(result.input.warnings.end(), comparison.warnings.begin(), comparison.warnings.end());
  const fs::path corrections = kept_corrections(result, job, output);
  if (request.config.output.deidentify) {
    const Redaction redaction = redaction_of(result, request);
    deidentify(result, redaction);
    comparison.json = redaction.in_json(comparison.json);
  }
  result.advisories = advisories_of(result);
  std::string report;
  write_result(output, result, config_of(result, request), comparison.json, request.beats, [&](const Table& beats) {
    if (wants_page(request.report, result)) report = write_report(output, beats, result, job.folder, log);
  });
  log_advisories(log, request.input.string(), *result.advisories, distinct_lead_names(result));
  const std::string summary = summary_text(result, job.folder, comparison.json) + report;
  CohortRow row = cohort_row(result);
  // A signal after the training does not stop this, because little is left to do. The remaining steps allocate no
  // memory and so cannot fail: the files are those that were reported.
  output.commit();
  std::error_code ignored;
  if (!request.model) fs::remove(request.checkpoint, ignored);
  if (!request.embedded) log.results(summary);
  apply_kept(corrections, job, log);
  return row;
}

}  // namespace

Worker::Worker(const Config& config, std::optional<Gpu> gpu, const Log& log, bool has_only_one)
    : config_(config), gpu_(gpu), has_only_one_(has_only_one), log_(has_only_one ? log : log.without_progress()) {}

CohortRow Worker::run(Job& job, OutputFolder& folder) {
  open_job(job);  // starts hashing before a GPU is requested
#ifdef BEATSCAN_WITH_CUDA
  BEATSCAN_EXPECTS(!closing_.joinable(), "run: the GPU was given back");
  if (gpu_) {
    if (!cuda_) cuda_.emplace(gpu_->device, config_.pool);
    return run_on(*cuda_, job, folder);
  }
#endif
  return run_on_cpu(job, folder);
}

CohortRow Worker::run_on_cpu(Job& job, OutputFolder& folder) {
  open_job(job);
  if (!cpu_) cpu_.emplace();
  return run_on(*cpu_, job, folder);
}

template <class Context>
CohortRow Worker::run_on(Context& context, const Job& job, OutputFolder& folder) {
  auto opened = open_recording(context, job.request, *job.input, ingest_progress(log_));
  RunResult result = analyse(context, std::move(opened), job.request, log_);
  if constexpr (std::is_same_v<Context, Cuda>)
    if (has_only_one_ && !job.request.embedded) give_gpu_back();
  return written(std::move(result), job, folder, log_);
}

// The driver needs 0.1 s to close what CUDA has opened, which would otherwise delay the program's end.
void Worker::give_gpu_back() {
#ifdef BEATSCAN_WITH_CUDA
  check_nothing_held();
  try {
    closing_ = std::jthread([this] { end_cuda(cuda_); });
  } catch (const std::system_error&) {  // thread limit reached: the GPU is released when the program ends
  }
#endif
}

void Worker::leave_gpu() {
  gpu_.reset();
  worker_process_.reset();
}

void Worker::use(std::unique_ptr<WorkerProcess> worker_process, const Gpu& gpu) {
  worker_process_ = std::move(worker_process);
  gpu_ = gpu;
}

CohortRow Worker::run_by_worker_process(const Job& job) {
  try {
    worker_process_->analyse({.recording = job.index, .resume = job.request.resume, .threads = host_threads()},
                             job.request.input.string());
  } catch (const Error&) {
    ended_in_a_row_ = worker_process_->has_ended() ? ended_in_a_row_ + 1 : 0;
    throw;
  }
  ended_in_a_row_ = 0;
  return stored_cohort_row(job.folder);
}

bool Worker::gpu_works() {
  if (worker_process_) return !worker_process_->has_ended();
#ifdef BEATSCAN_WITH_CUDA
  if (closing_.joinable() || !cuda_) return false;
  try {
    const Buffer<float, Cuda> probe(*cuda_, 1);
    cuda_->synchronize();
    return true;
  } catch (const Error&) {
    return false;
  }
#else
  return false;
#endif
}

void Worker::check_nothing_held() {
#ifdef BEATSCAN_WITH_CUDA
  if (closing_.joinable()) return;                 // already done
  if (!gpu_ || !cuda_ || worker_process_) return;  // after a CUDA error nothing can be released
  if (const auto held = cuda_->pool().held_bytes(); held != 0)
    fail(ErrorKind::internal, "device pool", counted(held, "byte") + " still held after the analysis");
#endif
}

}  // namespace beatscan
