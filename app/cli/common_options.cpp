#include "app/cli/common_options.h"

#include <map>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "app/batch/cohort.h"
#include "app/cli/add_commands.h"
#include "app/common/log.h"
#include "app/pipeline/run_options.h"

namespace beatscan {

void add_form_options(CLI::App& command, RunOptions& options) {
  static const std::map<std::string, TableForm> kForms = {
      {"csv", TableForm::csv}, {"parquet", TableForm::parquet}, {"both", TableForm::both}};
  static const std::map<std::string, Pages> kPages = {
      {"all", Pages::all}, {"abnormal", Pages::abnormal}, {"none", Pages::none}};
  command
      .add_option_function<std::string>(
          "--beats", [&options](const std::string& form) { options.beats = kForms.at(form); },
          "format of the table of beats; with Parquet a batch also gets cohort.parquet")
      ->check(CLI::IsMember({"csv", "parquet", "both"}))
      ->default_str("csv");
  auto* pages = command
                    .add_option_function<std::string>(
                        "--report", [&options](const std::string& pages) { options.report = kPages.at(pages); },
                        "which recordings get a report.html; abnormal: those with an abnormal beat in good signal, or "
                        "with an episode other than NOISE and GAP")
                    ->check(CLI::IsMember({"all", "abnormal", "none"}))
                    ->default_str("all");
  command
      .add_flag_callback(
          "--no-report", [&options] { options.report = Pages::none; },
          "the same as --report none; `beatscan report` writes report.html later")
      ->excludes(pages);
  static const std::map<std::string, OldCorrections> kCorrections = {{"keep", OldCorrections::keep},
                                                                     {"drop", OldCorrections::drop}};
  command
      .add_option_function<std::string>(
          "--old-corrections", [&options](const std::string& choice) { options.corrections = kCorrections.at(choice); },
          "what --force does with a reader's corrections of the earlier result: apply them, or lose them")
      ->check(CLI::IsMember({"keep", "drop"}))
      ->type_name("keep|drop");
}

void add_batch_options(CLI::App& command, RunOptions& options) {
  command
      .add_option("--list", options.list,
                  "file with more recordings, one a line; or CSV with the header input,rate,truth,name; paths "
                  "are relative to the list's folder; - is standard input")
      ->type_name("FILE");
  const auto* shard = command
                          .add_option("--shard", options.shard,
                                      "the share of the recordings for this process; shard I of N, counted from 0, or "
                                      "auto for the numbers set by torchrun, srun, mpirun or a Slurm job array")
                          ->type_name("I/N|auto");
  command.parse_complete_callback([&options, shard] {  // an unset variable of a shell; validators do not see it
    if (shard->count() > 0 && options.shard.empty())
      throw CLI::ValidationError("--shard", "is empty; give I/N, as in 0/4, or auto");
  });
}

void add_cohort(CLI::App& app, ParsedLine& line) {
  auto* command =
      app.add_subcommand("cohort",
                         "Lists all results below the folders, complete or not: index.html, cohort.csv, and "
                         "failures.csv for those that failed. Use it after a batch that several processes shared.");
  const auto request = std::make_shared<CohortRequest>();
  command->add_option("folder", request->folders, "folders of batches or results")->required()->type_name("DIR");
  command
      ->add_option(
          "--list", request->list,
          "list of the expected recordings, in the format of run --list; those without any trace are listed as missing")
      ->type_name("FILE");
  command->add_option("--out", request->out, "folder for the lists; by default the first DIR")->type_name("DIR");
  command->add_flag("--force", line.common.force, "replace files of these names even if they are not lists of a batch");
  add_threads_option(*command, line.common);
  add_log_options(*command, line.common);
  command->callback([&line, request] {
    line.command = [&line, request](Log& log) {
      request->force = line.common.force;
      cohort_command(*request, log);
      return 0;
    };
  });
}

std::string below_0(const std::string& seed) {
  return seed.find('-') == seed.npos ? "" : seed + " is not a whole number from 0";
}

void add_log_options(CLI::App& command, CommonOptions& common) {
  command.add_flag("-q,--quiet", common.quiet, "on stderr, print errors and warnings only; results stay on stdout");
  command.add_flag("-v,--verbose", common.verbose, "also print details on stderr");
  command.add_option("--log-format", common.log_format, "format of the messages on stderr")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
}

void add_settings_options(CLI::App& command, CommonOptions& common) {
  command
      .add_option("--set", common.settings,
                  "set one key of the configuration, as in vae.epochs=50; can be given several times, and overrides "
                  "the configuration file; `beatscan config show` lists the keys")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command.add_option("--rate", common.sample_rate_hz, "override the sampling rate (Hz)")->type_name("HZ");
  command.add_option("--seed", common.seed, "seed of all random numbers")->check(below_0)->type_name("N");
  add_log_options(command, common);
}

void add_config_options(CLI::App& command, CommonOptions& common) {
  command
      .add_option("--config", common.config,
                  "configuration file (JSON), or the name of a built-in one; default, or published (also called seed)")
      ->type_name("FILE|NAME");
  add_settings_options(command, common);
}

void add_result_options(CLI::App& command, CommonOptions& common) {
  command
      .add_option("--hrv-window", common.hrv_window,
                  "also write heart rate variability in windows of this length to hrv.csv, from the start and around "
                  "events; such as 5min, 300 or 1h; the same as --set hrv.window=")
      ->type_name("DURATION");
  command.add_flag("--nn", common.nn,
                   "also write the intervals between normal beats: nn.csv; the same as --set output.nn=true");
  command
      .add_option("--only", common.only,
                  "write the beats of these classes alone to beats.csv and abnormal.csv, such as V or VS; the numbers "
                  "of beats stay, and other files have all; the same as --set output.only=")
      ->type_name("CLASSES");
  command.add_flag("--deidentify", common.deidentify,
                   "leave names, dates, paths and digests of the input out of the result; the same as --set "
                   "output.deidentify=true");
}

void add_threads_option(CLI::App& command, CommonOptions& common) {
  command
      .add_option(
          "--threads", common.threads,
          "number of CPU threads, 0 for all that the process may use; at most 4096; does not change the results")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str()
      ->type_name("N");
}

void add_device_option(CLI::App& command, CommonOptions& common) {
  command
      .add_option("--device", common.device,
                  "compute device; auto: the GPUs if there are any, else the CPU; cuda: all GPUs; cuda:N,...: "
                  "those GPUs, counted from 0; one recording uses the first of them")
      ->type_name("DEVICE");
}

void add_lead_option(CLI::App& command, CommonOptions& common) {
  command
      .add_option("--lead", common.lead,
                  "the only lead or column to read, by name or by position from 0; the same as --set ingest.column=")
      ->type_name("NAME|POSITION");
}

void add_source_option(CLI::App& command, CommonOptions& common) {
  command
      .add_option("--source", common.source,
                  "source of the recording: auto, strip, holter or monitor; sets the prior probabilities of rhythms; "
                  "auto: a strip up to 120 s, else holter; the same as --set rhythm.source=")
      ->type_name("SOURCE");
}

void add_threshold_option(CLI::App& command, CommonOptions& common) {
  command
      .add_option("--threshold", common.threshold,
                  "score above which a beat is abnormal, in robust standard deviations; the same as --set "
                  "score.threshold_deviations= and score.threshold_fraction=null")
      ->type_name("SCORE");
}

}  // namespace beatscan
