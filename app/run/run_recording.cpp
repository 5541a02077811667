#include "app/run/run_recording.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <new>

#include "app/evaluation/evaluate.h"
#include "app/evaluation/truth.h"
#include "app/report/report.h"
#include "app/result/outputs.h"
#include "app/result/summary_text.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

std::vector<DetectedBeat> detected_beats(const RunResult& result) {
  std::vector<DetectedBeat> beats;
  beats.reserve(result.beats.r_peaks.size());
  for (const double r_peak : result.beats.r_peaks) beats.push_back({.sample = nearest_sample(r_peak)});
  for (std::size_t row = 0; row < result.kept.size(); ++row) {
    auto& beat = beats[result.kept[row]];
    beat.score = result.scores.score[row];
    beat.anomalous = result.scores.anomalous[row];
    if (result.ranking) beat.baseline = result.ranking->baseline.score[row];
  }
  return beats;
}

// Adds a warning where the truth is of another recording, or of none.
Json evaluation_of(RunResult& result, const fs::path& path) {
  if (path.empty()) return nullptr;
  const SignalClock clock{result.own_rate_hz ? result.own_rate_hz : result.sample_rate_hz, result.samples_per_frame};
  const auto truth = read_truth(path, clock);
  for (auto& warning : warnings_of(truth, result.samples, path)) result.input_warnings.push_back(std::move(warning));
  return to_json(evaluate(truth, detected_beats(result), *result.sample_rate_hz));
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

}  // namespace

template <class Context>
CohortRow run_recording(Context& context, OpenedRecording<Context> opened, const RunRequest& request,
                        const CommonOptions& common, const RunOptions& options, OutputFolder& output,
                        const fs::path& folder, Log& log) {
  RunResult result = analyse(context, std::move(opened), request, log);
  result.command = common.command;
  if (options.inputs.size() > 1) result.name = folder.filename().string();
  const Json evaluation = evaluation_of(result, options.truth);
  Config config =
      request.config;  // as resolved: a run with it gives the same bytes, and other recordings keep their own rate
  if (result.sample_rate_source == "model") config.ingest.sample_rate_hz = result.sample_rate_hz;
  write_result(output, result, config, evaluation);
  const std::string report = options.report ? write_report(output, folder, log) : "";
  for (const auto& warning : warnings_of(result)) log.warning(request.input.string() + ": " + warning);
  const std::string summary = summary_text(result, folder, evaluation) + report;
  CohortRow row = cohort_row(result);
  // Also where a signal came after the training: little was left to do. Nothing behind it takes memory, and so can
  // fail: what is there is what was reported.
  output.commit();
  std::error_code ignored;
  if (!request.parameters) fs::remove(request.checkpoint, ignored);
  std::fputs(summary.c_str(), stdout);
  return row;
}

template CohortRow run_recording(Cpu&, OpenedRecording<Cpu>, const RunRequest&, const CommonOptions&, const RunOptions&,
                                 OutputFolder&, const fs::path&, Log&);
#ifdef BEATSCAN_WITH_CUDA
template CohortRow run_recording(Cuda&, OpenedRecording<Cuda>, const RunRequest&, const CommonOptions&,
                                 const RunOptions&, OutputFolder&, const fs::path&, Log&);
#endif

}  // namespace beatscan
