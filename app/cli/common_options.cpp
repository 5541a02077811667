#include "app/cli/common_options.h"

#include <CLI/CLI.hpp>

#include "app/pipeline/run_options.h"

namespace beatscan {

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
