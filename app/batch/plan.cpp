#include "app/batch/plan.h"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>

#include "app/batch/recording_list.h"
#include "app/batch/recordings.h"
#include "app/batch/resume.h"
#include "app/common/numbers.h"
#include "app/common/small_csv.h"
#include "app/common/whole_file.h"
#include "app/evaluation/truth.h"
#include "app/output/model_file.h"
#include "app/output/output_folder.h"
#include "app/output/tables/parquet.h"
#include "app/pipeline/checkpoint.h"
#include "app/pipeline/models.h"
#include "app/pipeline/pipeline.h"
#include "app/pipeline/run_options.h"
#include "app/report/cohort_files.h"
#include "app/revision/revise.h"
#include "kernels/runtime/error.h"
#include "stages/io/input.h"
#include "stages/io/recording/input_file.h"
#include "stages/io/recording/unpacked_size.h"

namespace beatscan {

namespace {

namespace fs = std::filesystem;

// Returns the canonical path of a file that exists, or of the place where it will be written.
fs::path place_of(const fs::path& path) {
  std::error_code unknown;
  const fs::path place = fs::weakly_canonical(path, unknown);
  return unknown ? path : place;
}

bool lies_in(const fs::path& path, const fs::path& folder) {
  const fs::path inner = place_of(path), outer = place_of(folder);
  return std::ranges::mismatch(outer, inner).in1 == outer.end();
}

// Throws ErrorKind::usage if settings change the span or band of rows that the model was trained on.
void check_rows_fit(const fs::path& model, const RowOptions& of_model, const RowOptions& rows) {
  const auto check = [&](const char* key, double its, double given) {
    if (given != its)
      throw Error(ErrorKind::usage, model.string() + ": was trained with rows." + key + " of " + exact(its) + ", not " +
                                        exact(given) + "; leave out settings of rows, which the model has already");
  };
  check("before_s", of_model.before_s, rows.before_s);
  check("after_s", of_model.after_s, rows.after_s);
  check("low_hz", of_model.low_hz, rows.low_hz);
  check("high_hz", of_model.high_hz, rows.high_hz);
}

// Throws ErrorKind::usage if settings give the model another topology than its file has.
void check_settings_fit(const ModelToUse& model, const Config& config) {
  try {
    check_parameters(model.parameters, config, model.path.string());
  } catch (const Error& error) {
    throw Error(ErrorKind::usage,
                std::string(error.what()) + "; leave out settings of vae and rows.points, which the model has already");
  }
}

// The folders of all results, which many files are checked against.
class Places {
 public:
  Places(const Plan& plan, const RunOptions& options) : out_(place_of(options.out)), batch_(plan.batch) {
    if (batch_)
      for (const auto& recording : plan.recordings) names_.insert(recording.name);
  }

  // Returns whether a file lies in the folder of a result.
  bool hold(const fs::path& file) {
    const fs::path place = place_in_folder(file);
    const auto [outer, inner] = std::ranges::mismatch(out_, place);
    if (outer != out_.end()) return false;
    return !batch_ || (inner != place.end() && names_.contains(inner->string()));
  }
  // Returns whether all paths lie in a folder.
  bool lie_in(const fs::path& folder) const { return lies_in(out_, folder); }

 private:
  fs::path place_in_folder(const fs::path& file) {
    std::error_code unknown;
    if (file == "-" || !file.has_filename() || fs::is_symlink(file, unknown)) return place_of(file);
    return folders_.of(file.parent_path()) / file.filename();
  }

  fs::path out_;
  bool batch_;
  std::unordered_set<std::string> names_;
  RealFolders folders_;
};

void check_not_held(Places& places, const fs::path& file) {
  if (places.hold(file)) fail(ErrorKind::output, file.string(), "is in the output folder; give another --out");
}

// Throws if an input lies where results are written, and would be lost with a replaced folder. The model and the
// configuration are not checked, because they are written again. Signal files of WFDB records are checked only for the
// first records.
void check_inputs(const Plan& plan, Places& places) {
  for (std::size_t i = 0; i < plan.recordings.size(); ++i) {
    const ListedRecording& recording = plan.recordings[i];
    check_not_held(places, recording.input);
    if (!recording.truth.empty()) check_not_held(places, recording.truth);
    if (i >= kLookedAtFirst || !wfdb_header_of(recording.input)) continue;
    try {
      for (const auto& part : resolve_input(recording.input, ingest_options(plan.config)).parts)
        check_not_held(places, part.path);
    } catch (const Error& error) {
      if (!plan.batch || error.kind() == ErrorKind::output) throw;  // in a batch, only this recording fails
    }
  }
}

// Throws if the log would lie among the results, or replace an input.
void check_pool_log(const Plan& plan, Places& places, const RunOptions& options) {
  const fs::path& log = options.pool_log;
  if (log.empty()) return;
  if (places.hold(log) || places.lie_in(log))
    fail(ErrorKind::output, log.string(), "is where the results are put; give another --pool-log");
  const auto is_log = [&](const fs::path& file) {
    return file.filename() == log.filename() && place_of(file) == place_of(log);
  };
  const auto reads_log = [&](const ListedRecording& recording) {
    return is_log(recording.input) || is_log(recording.truth);
  };
  if (std::ranges::any_of(plan.recordings, reads_log) || is_log(options.model))
    fail(ErrorKind::output, log.string(), "is read by this run; give another --pool-log");
}

// Returns the names in a folder; none if it does not exist.
std::unordered_set<std::string> names_in_folder(const fs::path& folder) {
  std::unordered_set<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    names.insert(entry->path().filename().string());
  return names;
}

void check_target(const Plan& plan, std::size_t recording, const CommonOptions& common, const RunOptions& options) {
  const fs::path folder = folder_of(plan, options, recording);
  std::error_code unknown;
  const bool is_result = fs::exists(folder / "summary.json", unknown);
  if (is_result && options.resume && !common.force)
    return check_same_run(folder, config_of(plan, plan.recordings[recording]), options,
                          plan.recordings[recording].truth);
  if (is_result && common.force && options.corrections == OldCorrections::refuse && has_corrections(folder))
    fail(ErrorKind::usage, folder.string(),
         "holds a reader's corrections; give --old-corrections keep to apply them to the new result, or "
         "--old-corrections drop");
  check_output_folder(folder, common.force || is_result);
  if (is_result && !common.force)
    fail(ErrorKind::output, folder.string(),
         "exists; give --force to replace it, --resume to keep what is complete, or another --out");
}

// Reads the environment for --shard. Without --shard, the launcher's variables only cause warnings.
Launch launch_for(const RunOptions& options) {
  try {
    return launch_of_process();
  } catch (const Error&) {
    if (options.shard == "auto") throw;
    return {};
  }
}

// Sets the recordings of this process.
void take_recordings(Plan& plan, const RunOptions& options) {
  if (options.list == "-" && !options.shard.empty())
    throw Error(ErrorKind::usage,
                "--list - with --shard: each process needs the whole list, and a launcher shares or drops standard "
                "input; give a file");
  if (options.inputs.size() == 1 && looks_like_list(options.inputs[0]))
    throw Error(ErrorKind::usage, options.inputs[0].string() + ": is a list of recordings; give it as --list");
  Recordings wanted = recordings_of({.inputs = options.inputs,
                                     .list = options.list,
                                     .truth = options.truth,
                                     .out = options.out,
                                     .neutral_names = plan.config.output.deidentify});
  const Launch launch = launch_for(options);
  plan.batch = wanted.batch;
  if (plan.batch && !options.events.empty())
    throw Error(ErrorKind::usage, "--events goes with one recording; run the others without it");
  if (options.resume && plan.config.output.deidentify)
    throw Error(ErrorKind::usage,
                "--resume with --deidentify: such a result does not say what it was made from; give --force");
  plan.recordings_of_all = std::ssize(wanted.all);
  plan.warnings = std::move(wanted.warnings);
  plan.shard = shard_of(options.shard, launch, plan.batch);
  if (!options.shard.empty() && !plan.batch)
    throw Error(ErrorKind::usage, "--shard goes with several recordings or --list; here is one recording");
  plan.warnings.insert(plan.warnings.end(), plan.shard.warnings.begin(), plan.shard.warnings.end());
  if (!options.shard.empty()) plan.local = launch.local;
  for (const std::size_t i : members_of(plan.shard.shard, wanted.all))
    plan.recordings.push_back(std::move(wanted.all[i]));
}

// Checks each distinct rate of a list once.
void check_listed_rates(const Plan& plan, const fs::path& list) {
  std::set<double> checked;
  for (const ListedRecording& recording : plan.recordings) {
    if (recording.line == 0 || !recording.sample_rate_hz || !checked.insert(*recording.sample_rate_hz).second) continue;
    try {
      check_config(config_of(plan, recording));
    } catch (const Error& error) {
      fail_at_line(list == "-" ? "standard input" : list, recording.line, error.what());
    }
  }
}

// Checks the rates of the first recordings, so that their errors are reported before any work. Reads the annotations of
// a single recording.
void look_at_first(const Plan& plan) {
  for (std::size_t i = 0; i < std::min(plan.recordings.size(), kLookedAtFirst); ++i) {
    const ListedRecording& recording = plan.recordings[i];
    RateGiven rate = plan.rate;
    rate.needed = !recording.truth.empty();
    check_rates({recording.input}, config_of(plan, recording), rate);
    if (!plan.batch && !recording.truth.empty()) read_truth(recording.truth);
  }
}

}  // namespace

fs::path folder_of(const Plan& plan, const RunOptions& options, std::size_t recording) {
  return plan.batch ? options.out / plan.recordings[recording].name : options.out;
}

Config config_of(const Plan& plan, const ListedRecording& recording) {
  Config config = plan.config;
  if (recording.sample_rate_hz) config.ingest.sample_rate_hz = recording.sample_rate_hz;
  return config;
}

void check_outside(const fs::path& file, const fs::path& folder) {
  if (lies_in(file, folder)) fail(ErrorKind::output, file.string(), "is in the output folder; give another --out");
}

Plan plan_of(const CommonOptions& common, const RunOptions& options) {
  Plan plan;
  if (wants_parquet(options.beats)) require_parquet();
  if (std::ranges::count(options.inputs, fs::path("-")) > 1)
    throw Error(ErrorKind::usage, "-: standard input is given more than once, and can be read once; give - once");
  Config base;
  if (!options.model.empty()) {
    SavedModel saved = read_model(options.model);
    base = saved.config;
    base.pool = {};  // this and the device belong to the machine that the model was trained on
    base.device = Config().device;
    base.gpus = {};
    base.output = {};
    base.hrv = {};
    base.waves.model.clear();  // also a path of that machine
    base.quality.model.clear();
    base.classify.model.clear();
    base.rhythm_model = {};  // that of its recording, and a path
    plan.rate.of_model_hz = std::exchange(base.ingest.sample_rate_hz, std::nullopt);
    plan.model = std::make_shared<const ModelToUse>(
        ModelToUse{options.model, std::move(saved.parameters), std::move(saved.training_spread)});
  }
  plan.config = resolve_config(common, base);
  if (plan.config.ingest.sample_rate_hz) plan.rate.source = rate_source(common);
  take_recordings(plan, options);
  check_config(plan.config);
  plan.models = std::make_shared<const Models>(read_models(plan.config));
  check_listed_rates(plan, options.list);
  look_at_first(plan);
  if (plan.model) {
    check_settings_fit(*plan.model, plan.config);
    check_rows_fit(options.model, base.rows, plan.config.rows);
  }
  return plan;
}

void check_targets(const Plan& plan, const CommonOptions& common, const RunOptions& options) {
  // One shard of several writes no lists, so lists that `cohort` wrote in the meantime are left.
  const bool whole = plan.shard.shard.whole();
  check_cohort_files(options.out, plan.batch, common.force || options.resume || !whole);
  if (plan.batch && whole && !common.force) check_lists(options.out);
  const auto there = plan.batch ? names_in_folder(options.out) : std::unordered_set<std::string>();
  std::size_t looked_at = 0;
  for (std::size_t i = 0; i < plan.recordings.size() && looked_at < kLookedAtFirst; ++i) {
    if (plan.batch && !there.contains(plan.recordings[i].name)) continue;
    check_target(plan, i, common, options);
    ++looked_at;
  }
  Places places(plan, options);
  check_inputs(plan, places);
  check_pool_log(plan, places, options);
}

Job job_for(const CommonOptions& common, const RunOptions& options, const Plan& plan, std::size_t i) {
  const ListedRecording& recording = plan.recordings[i];
  const fs::path folder = folder_of(plan, options, i);
  RunRequest request{.input = recording.input,
                     .config = config_of(plan, recording),
                     .rate = plan.rate,
                     .model = plan.model,
                     .models = plan.models,
                     .save_arrays = options.save_arrays,
                     .report = options.report,
                     .beats = options.beats,
                     .truth = recording.truth,
                     .events = options.events,
                     .checkpoint = checkpoint_path(folder),
                     .resume = options.resume,
                     .embedded = options.embedded,
                     .keep_corrections = options.corrections == OldCorrections::keep,
                     .command = common.command};
  if (recording.sample_rate_hz) request.rate.source = "list";
  request.rate.needed = !recording.truth.empty();
  request.name = plan.batch                      ? recording.name
                 : plan.config.output.deidentify ? std::string("recording")
                                                 : shortened_name(std::move(request.name));
  return {i, std::move(request), folder, std::nullopt, std::nullopt};
}

void open_job(Job& job) {
  if (job.input) return;
  job.input = open_input(job.request);
  if (!job.request.truth.empty()) read_truth(job.request.truth);
}

std::int64_t memory_needed(const fs::path& input) {
  // Twelve bytes a sample: WFDB's format 212 stores a sample in one and a half bytes. Text and wider formats need less.
  constexpr std::int64_t kBytesForOne = 8, kAtLeast = std::int64_t{64} << 20;
  // A WFDB record is named by its header, or without a file extension; any other file has an extension and is read
  // alone.
  const fs::path ending = input.extension();
  const fs::path signal = ending == ".hea" ? fs::path(input).replace_extension(".dat")
                          : ending.empty() ? fs::path(input.native() + ".dat")
                                           : input;
  std::error_code unknown;
  std::uintmax_t bytes = fs::file_size(signal, unknown);
  if (unknown && signal != input) bytes = fs::file_size(input, unknown);
  if (unknown) bytes = 0;
  // Opening every compressed file of a long list is slow; small ones cannot fill the memory.
  constexpr std::uintmax_t kLookedInto = 1 << 20;
  const bool is_packed = without_packing(input) != input;
  const auto unpacked = is_packed && bytes > kLookedInto ? unpacked_size(input) : static_cast<std::int64_t>(bytes);
  return kAtLeast + kBytesForOne * unpacked;
}

}  // namespace beatscan
