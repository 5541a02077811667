// The command line: what was asked for, and how it ended.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <new>

#include "app/cli/command_tree.h"
#include "app/cli/commands.h"
#include "app/cli/completion.h"
#include "app/cli/exit_status.h"
#include "app/cli/man_page.h"
#include "app/cli/standard_streams.h"
#include "app/evaluation/evaluate.h"
#include "app/run/run_command.h"
#include "app/text/build_info.h"
#include "app/text/environment.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/host_threads.h"
#include "stages/common/interrupt.h"

namespace {

using namespace beatscan;

void add_log_options(CLI::App& command, CommonOptions& common) {
  command.add_flag("-q,--quiet", common.quiet, "print only errors and warnings on stderr");
  command.add_flag("-v,--verbose", common.verbose, "print details too");
  command.add_option("--log-format", common.log_format, "of messages on stderr")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
}

void add_settings_options(CLI::App& command, CommonOptions& common) {
  command.add_option("--set", common.settings, "one option, wins over the configuration; repeatable")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command
      .add_option("--rate", common.sample_rate_hz,
                  "sampling rate, where the recording does not tell it, or tells it wrong")
      ->type_name("HZ");
  command.add_option("--seed", common.seed, "seed of all random numbers")->type_name("N");
  add_log_options(command, common);
}

void add_threads_option(CLI::App& command, CommonOptions& common) {
  command
      .add_option("--threads", common.threads,
                  "threads of the host to work on; 0: as many as the process may use. Results do not depend on it")
      ->check(CLI::Range(0, 4096))
      ->type_name("N");
}

void add_config_options(CLI::App& command, CommonOptions& common) {
  command.add_option("--config", common.config, "configuration file, or a name: default, seed")->type_name("FILE|NAME");
  add_settings_options(command, common);
}

// A command that was asked for, with the function that does it.
struct CommandLine {
  CommonOptions common;
  RunOptions run;
  EvaluateOptions evaluate{{}, {}, kDefaultToleranceMs};
  GenerateOptions generate;
  BenchOptions bench;
  std::string style = "decimal3";
  std::filesystem::path path;
  std::string action, file, shell;
};

// What `run` and `score` have in common.
void add_recordings(CLI::App& command, CommandLine& line) {
  command
      .add_option("input", line.run.inputs,
                  "recordings: CSV (also of gzip or zstd; - is standard input), WFDB records (RECORD or RECORD.hea), "
                  "EDF or BDF")
      ->required()
      ->type_name("INPUT");
  command.add_option("--out", line.run.out, "folder for the results; several inputs get one folder each in it")
      ->required()
      ->type_name("DIR");
  command.add_option("--truth", line.run.truth, "reference annotations to compare with, of one recording")
      ->type_name("FILE");
  command.add_option("--device", line.common.device, "auto, cpu, cuda or cuda:N")->type_name("DEVICE");
  add_threads_option(command, line.common);
  command.add_flag("--save-arrays", line.run.save_arrays, "also write arrays/*.npy");
  command.add_flag_callback(
      "--no-report", [&line] { line.run.report = false; }, "do not make report.html; `beatscan report` can, later");
  command.add_option("--pool-log", line.run.pool_log, "CSV of every request for device memory")->type_name("FILE");
  command.add_flag("--force", line.common.force, "replace an earlier result");
  command.add_flag(
      "--resume", line.run.resume,
      "go on where an earlier run was stopped: keep results that are complete, and the training's checkpoint");
  command.add_flag("--dry-run", line.common.dry_run, "check options, inputs and output folder, and stop");
}

void add_run(CLI::App& app, CommandLine& line) {
  auto* run = app.add_subcommand("run", "whole pipeline: read, find beats, train, score");
  add_recordings(*run, line);
  add_config_options(*run, line.common);
  auto* score = app.add_subcommand("score", "the same with a saved model and its configuration instead of a training");
  score->add_option("--model", line.run.model, "model.safetensors of an earlier result")->required()->type_name("FILE");
  add_recordings(*score, line);
  add_settings_options(*score, line.common);
}

void add_evaluate(CLI::App& app, CommandLine& line) {
  auto* command = app.add_subcommand("evaluate", "compare a result with reference annotations, JSON on stdout");
  command->add_option("folder", line.evaluate.folder, "folder of a result")->required()->type_name("DIR");
  command->add_option("--truth", line.evaluate.truth, "CSV `sample,symbol`, or a WFDB annotation file")
      ->required()
      ->type_name("FILE");
  command->add_option("--tolerance-ms", line.evaluate.tolerance_ms, "largest distance of a match")
      ->check(CLI::Range(0.0, 1000.0))
      ->capture_default_str();
  command->add_option("--rate", line.common.sample_rate_hz, "sampling rate, where the result does not know it")
      ->check(CLI::Range(1.0, 100000.0))
      ->type_name("HZ");
  add_log_options(*command, line.common);
}

void add_report(CLI::App& app, CommandLine& line) {
  auto* command =
      app.add_subcommand("report", "make report.html of a result again, from the other files in its folder");
  command->add_option("folder", line.path, "folder of a result")->required()->type_name("DIR");
  add_log_options(*command, line.common);
}

void add_generate(CLI::App& app, CommandLine& line) {
  auto* command = app.add_subcommand("generate", "synthetic ECG with known beats, FILE.csv and FILE.truth.csv");
  command->add_option("--samples", line.generate.samples, "length")->required()->type_name("N");
  command->add_option("--out", line.path, "CSV file")->required()->type_name("FILE.csv");
  command->add_option("--rate", line.common.sample_rate_hz, "sampling rate (250)")->type_name("HZ");
  command->add_option("--abnormal", line.generate.abnormal_share, "share of abnormal beats")
      ->capture_default_str()
      ->type_name("SHARE");
  command->add_option("--style", line.style, "how numbers are written")
      ->check(CLI::IsMember({"decimal3", "decimal6", "exponent18"}))
      ->capture_default_str();
  command->add_option("--seed", line.common.seed, "seed of all random numbers")->type_name("N");
  add_threads_option(*command, line.common);
  command->add_flag("--force", line.common.force, "replace existing files");
  add_log_options(*command, line.common);
}

void add_bench(CLI::App& app, CommandLine& line) {
  auto* command = app.add_subcommand(
      "bench", "time every stage on a recording, again and again in one process; JSON on stdout, a table on stderr");
  command->add_option("input", line.bench.input, "recording")->required()->type_name("INPUT");
  command->add_option("--repetitions", line.bench.repetitions, "runs that count")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  command->add_option("--warm-up", line.bench.warm_up, "runs before them")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  command->add_option("--device", line.common.device, "auto, cpu, cuda or cuda:N")->type_name("DEVICE");
  add_threads_option(*command, line.common);
  add_config_options(*command, line.common);
}

void add_others(CLI::App& app, CommandLine& line) {
  auto* inspect =
      app.add_subcommand("inspect", "what would be read: columns, rows, rate, missing values; JSON on stdout");
  inspect->add_option("input", line.path, "recording")->required()->type_name("INPUT");
  add_threads_option(*inspect, line.common);
  add_config_options(*inspect, line.common);
  auto* config =
      app.add_subcommand("config", "show the resolved configuration, check a file, or print the JSON Schema");
  config->add_option("action", line.action, "show, check or schema")
      ->required()
      ->check(CLI::IsMember({"show", "check", "schema"}))
      ->type_name("ACTION");
  config->add_option("file", line.file, "configuration file or name")->type_name("FILE|NAME");
  config->add_option("--device", line.common.device, "auto, cpu, cuda or cuda:N")->type_name("DEVICE");
  add_config_options(*config, line.common);
  add_log_options(*app.add_subcommand("info", "version, build, devices, libraries; JSON on stdout"), line.common);
}

void add_documents(CLI::App& app, CommandLine& line) {
  app.add_subcommand("completion", "print a script that completes the command line in a shell")
      ->add_option("shell", line.shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->type_name("SHELL");
  app.add_subcommand("man", "print the manual page; `beatscan man | man -l -` shows it");
}

int print_completion(const std::string& shell, const CommandTree& tree) {
  const auto script = shell == "bash"  ? bash_completion(tree)
                      : shell == "zsh" ? zsh_completion(tree)
                                       : fish_completion(tree);
  std::fputs(script.c_str(), stdout);
  return 0;
}

int print_man_page(const CommandTree& tree) {
  std::fputs(man_page(tree, BEATSCAN_VERSION).c_str(), stdout);
  return 0;
}

int dispatch(const CLI::App& app, CommandLine& line, Log& log) {
  const std::string command = app.get_subcommands()[0]->get_name();
  if (command == "run" || command == "score")
    return static_cast<int>(status_of(run_command(line.common, line.run, log)));
  if (command == "evaluate") return evaluate_command(line.common, line.evaluate, log);
  if (command == "generate") {
    line.generate.style = *generate_style(line.style);
    return generate_command(line.common, line.generate, line.path, log);
  }
  if (command == "report") return report_command(line.path, log);
  if (command == "bench") return bench_command(line.common, line.bench, log);
  if (command == "inspect") return inspect_command(line.common, line.path, log);
  if (command == "config") return config_command(line.common, line.action, line.file);
  if (command == "completion") return print_completion(line.shell, command_tree(app));
  if (command == "man") return print_man_page(command_tree(app));
  return info_command();
}

int run(const CLI::App& app, CommandLine& line, Log& log) {
  const int status = dispatch(app, line, log);
  finish_stdout();
  return status;
}

int print_help(const CLI::App& app, const CLI::Success& success) {
  const int status = app.exit(success);
  try {
    finish_stdout();
  } catch (const Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return static_cast<int>(status_of(error.kind()));
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) try {
  open_missing_streams();
  tell_before_terminating();
  catch_signals();
  CLI::App app("beatscan: finds the abnormal beats in a long ECG", "beatscan");
  app.set_version_flag("--version", std::string("beatscan ") + BEATSCAN_VERSION);
  app.require_subcommand(1);
  CommandLine line;
  add_run(app, line);
  add_evaluate(app, line);
  add_report(app, line);
  add_generate(app, line);
  add_bench(app, line);
  add_others(app, line);
  add_documents(app, line);
  app.footer(exit_status_text());
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    return print_help(app, success);
  } catch (const CLI::ParseError& error) {
    const auto commands = app.get_subcommands();
    if (commands.empty() && argc > 1) {
      std::fprintf(stderr, "error: '%s' is no command; see beatscan --help\n", argv[1]);
      return static_cast<int>(ExitStatus::usage);
    }
    std::fprintf(stderr, "error: %s; see beatscan %s--help\n", error.what(),
                 commands.empty() ? "" : (commands[0]->get_name() + " ").c_str());
    return static_cast<int>(ExitStatus::usage);
  }
  set_host_threads(line.common.threads);
  prepare_openmp(1);
  Log log(line.common.quiet     ? 0
          : line.common.verbose ? 2
                                : 1,
          line.common.log_format == "json" ? LogFormat::json : LogFormat::text);
  line.common.command = quoted_for_shell({argv, static_cast<std::size_t>(argc)});
  const int status = exit_status_of([&] { return run(app, line, log); }, log);
  // All files are on disk. Taking LibTorch and the CUDA context down piece by piece would cost another 0.1 s.
  std::fflush(nullptr);
  _exit(status);
} catch (const std::bad_alloc&) {  // while the command line was read
  std::fputs("error: out of memory\n", stderr);
  return static_cast<int>(ExitStatus::internal);
}
