#include "app/cli/commands.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "app/batch/devices.h"
#include "app/cli/evaluate_options.h"
#include "app/cli/help/command_tree.h"
#include "app/cli/help/completion.h"
#include "app/cli/help/man_page.h"
#include "app/cli/standard_streams.h"
#include "app/common/json.h"
#include "app/common/log.h"
#include "app/common/numbers.h"
#include "app/common/partial_file.h"
#include "app/config/config.h"
#include "app/evaluation/ec57/comparison.h"
#include "app/evaluation/ec57/tables.h"
#include "app/evaluation/evaluate_batch.h"
#include "app/output/summary_json.h"
#include "app/output/tables/parquet.h"
#include "app/pipeline/bench.h"
#include "app/pipeline/models.h"
#include "app/pipeline/run_options.h"
#include "app/pipeline/sample_rate.h"
#include "app/report/paper/plot.h"
#include "app/report/report.h"
#include "app/report/stored/damaged_file.h"
#include "app/revision/revise.h"
#include "app/synthetic/generate.h"
#include "kernels/runtime/context.h"
#include "stages/common/interrupt.h"
#include "stages/io/input.h"

namespace beatscan {

namespace {

// Prints the tables of the standard.
int compare_by_standard(const EvaluateOptions& options, Log& log) {
  const auto comparisons = ec57::compare_results(options.request, options.excluded);
  for (const auto& [name, comparison] : comparisons)
    for (const auto& warning : comparison.warnings) log.warning(warning);
  const double match_window_ms = options.request.tolerance_ms;
  if (options.json)
    print_json(ec57::to_json(comparisons, match_window_ms));
  else
    std::fputs(ec57::tables_text(comparisons, match_window_ms).c_str(), stdout);
  return 0;
}

}  // namespace

int evaluate_command(const EvaluateOptions& given, Log& log) {
  EvaluateOptions options = given;
  if (!options.reference.empty())
    options.request.truth = revised_annotations(options.reference, options.request.folder);
  if (options.request.truth.empty())
    throw Error(ErrorKind::usage, "--truth is required, or --reference with a result that a reader corrected");
  if (options.standard == "ec57") return compare_by_standard(options, log);
  const EvaluateRequest& request = options.request;
  if (!options.excluded.empty() || options.json)
    throw Error(ErrorKind::usage, std::string(options.json ? "--json" : "--exclude") +
                                      " goes with --standard ec57; add that, or leave it out");
  if (is_batch(request)) {
    const auto evaluations = evaluate_batch(request);
    for (const auto& [name, evaluation] : evaluations)
      for (const auto& warning : evaluation.warnings) log.warning(warning);
    print_json(to_json(evaluations));
    return 0;
  }
  const auto evaluation = evaluate_folder(request);
  for (const auto& warning : evaluation.warnings) log.warning(warning);
  print_json(to_json(evaluation));
  return 0;
}

int report_command(const std::filesystem::path& folder, Log& log) {
  const auto start = std::chrono::steady_clock::now();
  const std::string page = report_page(folder);
  const auto path = folder / "report.html";
  write_durably(path, page);
  log.info(report_line(path, page, start));
  return 0;
}

int revise_command(const ReviseRequest& request, Log& log) {
  revise(request, log);
  return 0;
}

int plot_command(const PlotRequest& request, Log& log) {
  check_picture(request);
  check_writable(request.out, request.force);
  const StoredResult result = read_stored_result(request.folder);
  try {
    const PlotStretch stretch = plotted_stretch(result, request);
    const double unit = result.rate_hz.value_or(1);
    const std::int64_t first = std::llround(stretch.from * unit),
                       end = std::max<std::int64_t>(first + 2, std::llround(stretch.to * unit));
    const PlotWaves waves = request.waves ? plotted_waves(result, stretch.from, stretch.to) : PlotWaves();
    const std::string picture =
        picture_file(plot_drawing(result, stretch, first, plotted_signal(result, first, end), waves), request);
    if (stretch.cut)
      log.warning("the episode is longer than " + fixed(kLongestPlot_s, 0) + " s; the picture shows its beginning");
    write_durably(request.out, picture);
    log.info(request.out.string() + ", " + megabytes(static_cast<double>(picture.size())));
  } catch (const Json::exception& error) {
    fail_damaged(request.folder / "summary.json", std::string("is not as expected (") + error.what() + ")");
  }
  return 0;
}

int show_config_command(const CommonOptions& common) {
  const Config config = resolve_config(common);
  check_config(config);  // the output can be used as a run's configuration
  print_json(to_json(config));
  return 0;
}

int check_config_command(const CommonOptions& common) {
  const Config config = resolve_config(common);
  check_config(config);
  read_models(config);  // a run would read them, too
  std::printf("%s: good\n", common.config.empty() ? "built-in configuration" : common.config.c_str());
  return 0;
}

int config_schema_command() {
  print_json(config_schema());
  return 0;
}

int completion_command(const std::string& shell, const CommandTree& tree) {
  const auto script = shell == "bash"  ? bash_completion(tree)
                      : shell == "zsh" ? zsh_completion(tree)
                                       : fish_completion(tree);
  std::fputs(script.c_str(), stdout);
  return 0;
}

int man_command(const CommandTree& tree) {
  std::fputs(man_page(tree, BEATSCAN_VERSION).c_str(), stdout);
  return 0;
}

int generate_command(const GenerateOptions& options, const std::filesystem::path& out, bool force, Log& log) {
  const GenerateResult result = generate(Cpu(), options, out, force);
  log.info(out.string() + ": " + grouped(options.samples, "sample") + " at " + significant(options.sample_rate_hz, 9) +
           " Hz, " + grouped(result.bytes, "byte"));
  log.info(result.truth_path.string() + ": " + grouped(result.beats, "beat") + ", " + grouped(result.abnormal_beats) +
           " abnormal");
  return 0;
}

int bench_command(const CommonOptions& common, const BenchOptions& options, Log& log) {
  const Config config = resolve_config(common);
  check_config(config);
  check_rates({options.input}, config, {});
  Json result;
#ifdef BEATSCAN_WITH_CUDA
  if (const auto gpu = gpu_to_use(config, log)) {
    Cuda cuda(gpu->device, config.pool);
    result = bench(cuda, options, config, log);
  }
#else
  gpu_to_use(config, log);
#endif
  if (result.is_null()) {
    Cpu cpu;
    result = bench(cpu, options, config, log);
  }
  print_json(result);
  std::fputs(bench_table(result).c_str(), stderr);
  return 0;
}

namespace {

Json leads_json(const Recording<Cpu>& recording) {
  Json leads = Json::array();
  for (const auto& lead : recording.leads)
    leads.push_back({{"name", lead.name},
                     {"unit", lead.unit.empty() ? Json(nullptr) : Json(lead.unit)},
                     {"missing", lead.missing},
                     {"gaps", lead.gap_firsts.size()},
                     {"min", lead.range.min},
                     {"max", lead.range.max}});
  return leads;
}

Json events_json(const SignalInfo& signal) {
  Json events = Json::array();
  for (const auto& event : signal.events)
    events.push_back({{"time_s", event.time_s}, {"duration_s", event.duration_s}, {"text", event.text}});
  return events;
}

// Lists the columns or signals that are not read, except the times.
Json left_out(const SignalInfo& signal) {
  Json names = Json::array();
  const auto is_read = [&](const std::string& name) {
    return std::ranges::any_of(signal.leads, [&](const Lead& lead) { return lead.name == name; }) ||
           (signal.csv ? signal.csv->time_column : signal.time_column) == name;
  };
  for (const auto& name : signal.names)
    if (!is_read(name)) names.push_back(name);
  return names;
}

}  // namespace

int inspect_command(const CommonOptions& common, const std::filesystem::path& path, Log& log) {
  const Config config = resolve_config(common);
  const IngestOptions options = ingest_options(config);
  Cpu cpu;
  const Input input = resolve_input(path, options);
  const auto recording = read_recording(cpu, input, options, [](auto...) { throw_if_interrupted(); });
  const SignalInfo& signal = recording.signal;
  const auto& first = recording.leads.front();
  const auto own = signal.sample_rate_hz, users = config.ingest.sample_rate_hz, rate = users ? users : own;
  Json json = {
      {"path", path.string()},
      {"format", signal.format},
      {"bytes", input.bytes},
      {"columns", signal.names},
      {"column", signal.name},
      {"left_out", left_out(signal)},
      {"unit", signal.unit.empty() ? Json(nullptr) : Json(signal.unit)},
      {"samples", recording.samples()},
      {"missing", {{"samples", first.missing}, {"gaps", first.gap_firsts.size()}}},
      {"bad", to_json(recording.bad)},
      {"min", first.range.min},
      {"max", first.range.max},
      {"leads", leads_json(recording)},
      {"sample_rate_hz", rate ? Json(*rate) : Json(nullptr)},
      {"sample_rate_source", rate ? Json(users ? rate_source(common) : name_of(signal.rate_origin)) : Json(nullptr)},
      {"duration_s", rate ? Json(static_cast<double>(recording.samples()) / *rate) : Json(nullptr)},
      {"start", start_json(signal.start)},
      {"metadata", signal.metadata}};
  if (!signal.events.empty()) json["events"] = events_json(signal);
  if (signal.csv) {
    json["delimiter"] = std::string(1, signal.csv->delimiter);
    json["has_header"] = signal.csv->has_header;
    json["decimal"] = std::string(1, signal.csv->decimal);
    json["skipped_lines"] = signal.csv->skipped_lines;
    json["time_column"] = signal.csv->time_column ? Json(*signal.csv->time_column) : Json(nullptr);
  }
  if (signal.time_column) json["time_column"] = *signal.time_column;
  for (const auto& warning : signal.warnings) log.warning(path.string() + ": " + warning);
  if (users)
    if (const auto chosen = sample_rate_of(signal, config, {rate_source(common)}, path); !chosen.warning.empty())
      log.warning(path.string() + ": " + chosen.warning);
  print_json(json);
  return 0;
}

}  // namespace beatscan
