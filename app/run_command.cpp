#include <array>
#include <chrono>
#include <cstdio>
#include <deque>
#include <functional>
#include <future>
#include <new>
#include <set>
#include <thread>

#include "app/cohort_page.h"
#include "app/commands.h"
#include "app/evaluate.h"
#include "app/interrupt.h"
#include "app/model_file.h"
#include "app/outputs.h"
#include "app/pipeline.h"
#include "app/progress.h"
#include "app/report/report.h"
#include "app/summary_text.h"
#include "app/truth.h"
#include "kernels/check.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

std::vector<DetectedBeat> detected_beats(const RunResult& result) {
  std::vector<DetectedBeat> beats;
  for (const double r_peak : result.beats.r_peaks) beats.push_back({.sample = nearest_sample(r_peak)});
  for (std::size_t row = 0; row < result.kept.size(); ++row) {
    auto& beat = beats[result.kept[row]];
    beat.score = result.scores.score[row];
    beat.anomalous = result.scores.anomalous[row];
    if (result.ranking) beat.baseline = result.ranking->baseline.score[row];
  }
  return beats;
}

Json evaluation_of(const RunResult& result, const fs::path& truth) {
  if (truth.empty()) return nullptr;
  const SignalClock clock{result.own_rate_hz ? result.own_rate_hz : result.sample_rate_hz, result.samples_per_frame};
  return to_json(evaluate(read_truth(truth, clock), detected_beats(result), *result.sample_rate_hz));
}

// From the files that are already there, as `beatscan report` does it; returns what to say of it. What keeps a page
// from being made is no reason to lose the result.
std::string write_report(OutputFolder& output, const fs::path& folder, Log& log) {
  const auto start = std::chrono::steady_clock::now();
  std::string page;
  try {
    page = report_page(output.partial());
  } catch (const std::bad_alloc&) {
    log.warning("report.html is not made: out of memory; `beatscan report` makes it from the other files");
    return "";
  } catch (const std::exception& error) {
    log.warning("report.html is not made: " + std::string(error.what()));
    return "";
  }
  output.write("report.html", page);
  return "report     " + report_line(folder / "report.html", page, start) + "\n";
}

template <class Context>
CohortRow run_one(Context& context, OpenedRecording<Context> opened, const RunRequest& request,
                  const CommonOptions& common, const RunOptions& options, OutputFolder& output, const fs::path& folder,
                  Log& log) {
  RunResult result = analyse(context, std::move(opened), request, log);
  result.command = common.command;
  if (options.inputs.size() > 1) result.name = folder.filename().string();
  const Json evaluation = evaluation_of(result, options.truth);
  Config config =
      request.config;  // as resolved: a run with it gives the same bytes, and other recordings keep their own rate
  if (result.sample_rate_source == "model") config.ingest.sample_rate_hz = result.sample_rate_hz;
  write_result(output, result, config, evaluation);
  throw_if_interrupted();
  const std::string report = options.report ? write_report(output, folder, log) : "";
  for (const auto& warning : warnings_of(result)) log.warning(request.input.string() + ": " + warning);
  const std::string summary = summary_text(result, folder, evaluation) + report;
  CohortRow row = cohort_row(result);
  output.commit();  // nothing behind it takes memory, and so can fail: what is there is what was reported
  std::fputs(summary.c_str(), stdout);
  return row;
}

// One input goes to --out itself, several to folders in it, named after the files.
std::vector<fs::path> folders_for(const RunOptions& options) {
  if (options.inputs.size() == 1) return {options.out};
  std::vector<fs::path> folders;
  std::set<fs::path> taken = {options.out / kCohortPage, options.out / kCohortTable};
  for (const auto& input : options.inputs) {
    fs::path folder = options.out / record_name(input);
    for (int i = 2; !taken.insert(folder).second; ++i)
      folder = options.out / (record_name(input) + "-" + std::to_string(i));
    folders.push_back(folder);
  }
  return folders;
}

// The requests of a batch, each made a few recordings ahead: hashing a file takes longer than reading and analysing it.
class Requests {
 public:
  Requests(const Config& config, const RateGiven& rate, const RunOptions& options,
           const std::vector<NamedArray>* parameters)
      : config_(config), rate_(rate), options_(options), parameters_(parameters) {
    for (std::size_t i = 0; i < kAhead; ++i) make_next();
  }
  const RunRequest& operator[](std::size_t i) const { return requests_[i]; }
  void done(std::size_t i) {
    requests_[i].sha256.reset();
    requests_[i].files.reset();
    make_next();
  }

 private:
  static constexpr std::size_t kAhead = 4;
  void make_next() {
    if (requests_.size() == options_.inputs.size()) return;
    requests_.push_back(
        {options_.inputs[requests_.size()], config_, rate_, options_.save_arrays, options_.model, parameters_});
    open_input(requests_.back());
  }
  const Config& config_;
  const RateGiven& rate_;
  const RunOptions& options_;
  const std::vector<NamedArray>* parameters_;  // of a saved model, or nullptr
  std::deque<RunRequest> requests_;            // a deque: references to elements stay good
};

// One recording after the other, the next being read while one trains: contexts take turns.
template <class Context>
int run_all(std::array<Context, 2>& contexts, Requests& requests, const CommonOptions& common,
            const RunOptions& options, Log& log) {
  const auto folders = folders_for(options);
  const auto open = [&](std::size_t i, const RunRequest& request) {
    // Only the first is waited for; the others are read behind the progress of a training.
    const BytesReport progress = i == 0 ? ingest_progress(log) : [](auto...) { throw_if_interrupted(); };
    return open_recording(contexts[i % 2], request, progress);
  };
  std::vector<CohortRow> cohort;
  cohort.reserve(options.inputs.size());
  std::size_t failed = 0;
  std::optional<Error> first_error;
  auto next = std::async(std::launch::deferred, open, 0, std::cref(requests[0]));
  for (std::size_t i = 0; i < options.inputs.size(); ++i) {
    auto current = std::move(next);
    try {
      OutputFolder output(folders[i], common.force);
      auto opened = current.get();
      if (i + 1 < options.inputs.size()) next = std::async(std::launch::async, open, i + 1, std::cref(requests[i + 1]));
      cohort.push_back(
          run_one(contexts[i % 2], std::move(opened), requests[i], common, options, output, folders[i], log));
    } catch (const Error& error) {
      log.end_progress();
      if (options.inputs.size() == 1) throw;
      log.error(error.what());
      cohort.push_back(
          {.input = options.inputs[i].string(), .name = folders[i].filename().string(), .failure = error.what()});
      if (!first_error) first_error = error;
      ++failed;
      if (i + 1 < options.inputs.size() && !next.valid())
        next = std::async(std::launch::async, open, i + 1, std::cref(requests[i + 1]));
    }
    requests.done(i);
  }
  if (options.inputs.size() > 1 && failed < options.inputs.size()) {
    write_cohort(options.out, cohort);
    std::printf("batch      %s\n", (options.out / kCohortPage).c_str());
  }
  if (failed == 0) return static_cast<int>(Status::ok);
  log.error(std::to_string(failed) + " of " + std::to_string(options.inputs.size()) + " recordings failed");
  return static_cast<int>(failed == options.inputs.size() ? first_error->status() : Status::partial_batch);
}

// Before anything is touched, not after hours of training.
void check_targets(const CommonOptions& common, const RunOptions& options) {
  for (const auto& folder : folders_for(options)) check_output_folder(folder, common.force);
  check_cohort_files(options.out, options.inputs.size(), common.force);
}

void dry_run(const Config& config, const CommonOptions& common, const RunOptions& options) {
  Json plan = {{"config", to_json(config)}, {"recordings", Json::array()}};
  const auto folders = folders_for(options);
  check_targets(common, options);
  for (std::size_t i = 0; i < options.inputs.size(); ++i) {
    const Input input = resolve_input(options.inputs[i], config.ingest);
    const SignalInfo signal = look_at(input, config.ingest);
    const auto users = config.ingest.sample_rate_hz, known = users ? users : signal.sample_rate_hz;
    plan["recordings"].push_back({{"input", options.inputs[i].string()},
                                  {"format", signal.format},
                                  {"bytes", input.bytes},
                                  {"column", signal.name},
                                  {"sample_rate_hz", known ? Json(*known) : Json(nullptr)},
                                  {"out", folders[i].string()}});
  }
  std::printf("%s\n", text_of(plan).c_str());
}

// LibTorch takes 0.12 s to load and CUDA 0.19 s to start. Both begin with a lock on the loader of libraries, which CUDA
// soon gives back and LibTorch does not: they overlap if CUDA has a head start. Nobody waits for the thread: the
// program ends by _exit.
void load_libtorch_meanwhile([[maybe_unused]] DeviceChoice device) {
  std::chrono::milliseconds head_start(0);
#ifdef BEATSCAN_WITH_CUDA
  if (device != DeviceChoice::cpu) head_start = std::chrono::milliseconds(30);
#endif
  std::thread([head_start] {
    std::this_thread::sleep_for(head_start);
    preload_vae();
  }).detach();
}

}  // namespace

int run_command(const CommonOptions& common, const RunOptions& options, Log& log) {
  std::optional<SavedModel> model;
  if (!options.model.empty()) model = read_model(options.model);
  RateGiven rate{.needed = !options.truth.empty()};
  if (model) rate.of_model_hz = std::exchange(model->config.ingest.sample_rate_hz, std::nullopt);
  const Config config = resolve_config(common, model ? model->config : Config{});
  if (config.ingest.sample_rate_hz) rate.source = rate_source(common);
  if (!options.truth.empty() && options.inputs.size() > 1)
    throw Error(Status::usage, "--truth goes with one recording; use `beatscan evaluate` on each folder of a batch");
  // Before anything is touched.
  check_config(config);
  check_rates(options.inputs, config, rate);
  if (model) check_parameters(model->parameters, config, options.model.string());
  if (!options.truth.empty()) read_truth(options.truth);  // what is wrong is better known now than after the training
  if (common.dry_run) {
    dry_run(config, common, options);
    return static_cast<int>(Status::ok);
  }
  check_targets(common, options);
  Requests requests(config, rate, options, model ? &model->parameters : nullptr);
  load_libtorch_meanwhile(config.device);
#ifdef BEATSCAN_WITH_CUDA
  if (use_cuda(config, log)) {
    std::array contexts{Cuda(0), Cuda(0)};
    const int status = run_all(contexts, requests, common, options, log);
    for (auto& cuda : contexts)
      if (cuda.pool().held_bytes() != 0)
        throw Error(Status::internal,
                    "device pool: " + std::to_string(cuda.pool().held_bytes()) + " bytes still held at exit");
    return status;
  }
#endif
  if (config.device == DeviceChoice::cuda) use_cuda(config, log);
  std::array contexts{Cpu(), Cpu()};
  return run_all(contexts, requests, common, options, log);
}

}  // namespace beatscan
