#include "app/run/plan.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "app/evaluation/truth.h"
#include "app/report/cohort_page.h"
#include "app/result/model_file.h"
#include "app/result/output_folder.h"
#include "app/run/job.h"
#include "app/run/pipeline.h"
#include "app/run/resume.h"
#include "kernels/runtime/error.h"
#include "stages/input/input.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

// Returns the files that are read and would be lost with a folder that is replaced. A model and a configuration are not
// among them, for they are written again.
std::vector<fs::path> files_read(const Config& config, const RunOptions& options) {
  std::vector<fs::path> files = options.inputs;
  for (const auto& input : options.inputs)
    if (wfdb_header_of(input))
      for (const auto& part : resolve_input(input, ingest_options(config)).parts) files.push_back(part.path);
  if (!options.truth.empty()) files.push_back(options.truth);
  return files;
}

// Returns the canonical path of a file that exists, or of where it will be.
fs::path place_of(const fs::path& path) {
  std::error_code unknown;
  const fs::path place = fs::weakly_canonical(path, unknown);
  return unknown ? path : place;
}

bool lies_in(const fs::path& path, const fs::path& folder) {
  const fs::path inner = place_of(path), outer = place_of(folder);
  return std::ranges::mismatch(outer, inner).in1 == outer.end();
}

// Throws where a file that is read lies where results are put.
void check_inputs(const std::vector<fs::path>& files, const RunOptions& options) {
  for (const auto& folder : folders_for(options))
    for (const auto& file : files) check_outside(file, folder);
}

// Throws where the log would lie among the results, or replace a file that is read.
void check_pool_log(const std::vector<fs::path>& files, const RunOptions& options) {
  const fs::path& log = options.pool_log;
  if (log.empty()) return;
  for (const auto& folder : folders_for(options))
    if (lies_in(log, folder) || lies_in(folder, log))
      fail(ErrorKind::output, log.string(), "is where the results are put; give another --pool-log");
  const auto is_log = [&](const fs::path& file) { return place_of(file) == place_of(log); };
  if (std::ranges::any_of(files, is_log) || is_log(options.model))
    fail(ErrorKind::output, log.string(), "is read by this run; give another --pool-log");
}

Json names_of(const std::vector<Lead>& leads) {
  Json names = Json::array();
  for (const auto& lead : leads) names.push_back(lead.name);
  return names;
}

}  // namespace

void check_outside(const fs::path& file, const fs::path& folder) {
  if (lies_in(file, folder))
    fail(ErrorKind::output, file.string(), "lies in the folder that the results are put in; give another --out");
}

Plan plan_of(const CommonOptions& common, const RunOptions& options) {
  Plan plan{.rate = {.needed = !options.truth.empty()}};
  Config base;
  if (!options.model.empty()) {
    SavedModel saved = read_model(options.model);
    base = saved.config;
    base.pool = {};  // that of the model's machine
    plan.rate.of_model_hz = std::exchange(base.ingest.sample_rate_hz, std::nullopt);
    plan.model = std::make_shared<const ModelToUse>(ModelToUse{options.model, std::move(saved.parameters)});
  }
  plan.config = resolve_config(common, base);
  if (plan.config.ingest.sample_rate_hz) plan.rate.source = rate_source(common);
  if (!options.truth.empty() && options.inputs.size() > 1)
    throw Error(ErrorKind::usage, "--truth goes with one recording; use `beatscan evaluate` on each folder of a batch");
  check_config(plan.config);
  check_rates(options.inputs, plan.config, plan.rate);
  if (plan.model) check_parameters(plan.model->parameters, plan.config, options.model.string());
  if (!options.truth.empty()) read_truth(options.truth);  // its errors are told before the training
  return plan;
}

void check_targets(const Config& config, const CommonOptions& common, const RunOptions& options) {
  std::error_code unknown;
  for (const auto& folder : folders_for(options))
    if (options.resume && !common.force && fs::exists(folder / "summary.json", unknown))
      check_same_run(folder, config, options.model);
    else
      check_output_folder(folder, common.force);
  check_cohort_files(options.out, options.inputs.size(), common.force || options.resume);
  const auto files = files_read(config, options);
  check_inputs(files, options);
  check_pool_log(files, options);
}

void print_plan(const Config& config, const CommonOptions& common, const RunOptions& options) {
  Json plan = {{"config", to_json(config)}, {"recordings", Json::array()}};
  const auto folders = folders_for(options);
  check_targets(config, common, options);
  for (std::size_t i = 0; i < options.inputs.size(); ++i) {
    const Input input = resolve_input(options.inputs[i], ingest_options(config));
    const SignalInfo signal = look_at(input, ingest_options(config));
    const auto users = config.ingest.sample_rate_hz, known = users ? users : signal.sample_rate_hz;
    plan["recordings"].push_back({{"input", options.inputs[i].string()},
                                  {"format", signal.format},
                                  {"bytes", input.bytes},
                                  {"column", signal.name},
                                  {"leads", names_of(signal.leads)},
                                  {"sample_rate_hz", known ? Json(*known) : Json(nullptr)},
                                  {"out", folders[i].string()}});
  }
  std::printf("%s\n", text_of(plan).c_str());
}

}  // namespace beatscan
