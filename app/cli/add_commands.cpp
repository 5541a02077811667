#include "app/cli/add_commands.h"

#include <memory>

#include <CLI/CLI.hpp>

#include "app/batch/run_command.h"
#include "app/cli/command_line.h"
#include "app/cli/commands.h"
#include "app/cli/common_options.h"
#include "app/cli/evaluate_options.h"
#include "app/common/log.h"
#include "app/pipeline/bench.h"
#include "app/report/paper/plot.h"
#include "app/revision/revise.h"
#include "app/synthetic/generate.h"

namespace beatscan {

namespace {

// Adds the options that `run` and `score` share. `resume` is what --resume does.
void add_recordings(CLI::App& command, CommonOptions& common, RunOptions& options, const std::string& resume) {
  command
      .add_option("input", options.inputs,
                  "recordings: CSV, WFDB, EDF, BDF, ISHNE, NumPy, MATLAB or Parquet files; a WFDB record is RECORD or "
                  "RECORD.hea; all others may be compressed with gzip, zstd, xz or bzip2; - is standard input; a "
                  "folder or a pattern such as 'x/*.csv' stands for the recordings in it")
      ->type_name("INPUT");
  add_batch_options(command, options);
  command.add_option("--out", options.out, "folder for the result; several recordings get one folder each inside it")
      ->required()
      ->type_name("DIR");
  command
      .add_option(
          "--truth", options.truth,
          "reference annotations to compare the result with; CSV with the columns sample and symbol, or a WFDB "
          "annotation file; for several recordings a folder that has NAME.atr, NAME.truth.csv or NAME.csv of each")
      ->type_name("FILE");
  add_lead_option(command, common);
  add_source_option(command, common);
  add_threshold_option(command, common);
  add_device_option(command, common);
  add_threads_option(command, common);
  command
      .add_option("--in-flight", options.in_flight,
                  "recordings that a device processes at a time, at most 64; 0: chosen by its processors and memory; "
                  "does not change the results")
      ->check(CLI::Range(0, 64))
      ->capture_default_str()
      ->type_name("N");
  command.add_flag("--waves", common.waves,
                   "also write P, QRS and T waves by lead: waves.csv, RECORD.waves; the same as --set "
                   "output.waves=true");
  command.add_flag("--features", common.features,
                   "also write the beat table: features.npy, and its columns in features.json; the same as "
                   "--set output.features=true");
  add_result_options(command, common);
  command
      .add_option("--events", options.events,
                  "diary of the recording: CSV with the columns time and text, in seconds from the start or times of "
                  "day; its events are on the page, and with --hrv-window in hrv.csv")
      ->type_name("FILE");
  command.add_flag("--save-arrays", options.save_arrays, "also write the arrays between the stages, as arrays/*.npy");
  add_form_options(command, options);
  command.add_option("--pool-log", options.pool_log, "CSV file to which every request for GPU memory is written")
      ->type_name("FILE");
  command.add_flag("--force", common.force, "replace an earlier result");
  command.add_flag("--resume", options.resume, resume);
  command.add_flag("--dry-run", common.dry_run, "check options and inputs, and write nothing; prints the plan as JSON");
}

void add_run(CLI::App& app, ParsedLine& line) {
  auto* command = app.add_subcommand("run",
                                     "Reads recordings, finds and classifies their beats, and ranks them: the most "
                                     "abnormal first.");
  const auto options = std::make_shared<RunOptions>();
  add_recordings(
      *command, line.common, *options,
      "continue a run that was stopped; complete results are kept, and a training continues from its checkpoint");
  add_config_options(*command, line.common);
  command
      ->add_option_function<std::string>(
          "--model", [&line](const std::string& model) { line.common.without_model = model == "none"; },
          "train a model, or none: no score depends on it")
      ->check(CLI::IsMember({"none", "vae"}))
      ->type_name("none|vae");
  command->callback([&line, options] {
    line.command = [&line, options](Log& log) {
      return static_cast<int>(status_of(run_command(line.common, *options, log)));
    };
  });
}

void add_score(CLI::App& app, ParsedLine& line) {
  auto* command = app.add_subcommand(
      "score", "Like run, with the model and the configuration of an earlier result instead of training.");
  const auto options = std::make_shared<RunOptions>();
  command->add_option("--model", options->model, "model.safetensors of an earlier result")
      ->required()
      ->type_name("FILE");
  add_recordings(*command, line.common, *options,
                 "continue a batch that was stopped; complete results are kept, and the other recordings are scored");
  add_settings_options(*command, line.common);
  command->callback([&line, options] {
    line.command = [&line, options](Log& log) {
      return static_cast<int>(status_of(run_command(line.common, *options, log)));
    };
  });
}

void add_rhythm(CLI::App& app, ParsedLine& line) {
  auto* command = app.add_subcommand("rhythm",
                                     "Finds rhythms in a list of beats without a signal: atrial fibrillation, "
                                     "runs, pauses, heart rate variability.");
  struct Options {
    std::filesystem::path beats, out;
  };
  const auto options = std::make_shared<Options>();
  command
      ->add_option("beats", options->beats,
                   "beats: CSV with the column sample and optionally symbol, or a WFDB annotation file")
      ->required()
      ->type_name("FILE");
  command->add_option("--out", options->out, "folder for the result")->required()->type_name("DIR");
  add_source_option(*command, line.common);
  add_threads_option(*command, line.common);
  command->add_flag("--force", line.common.force, "replace an earlier result");
  add_config_options(*command, line.common);
  command->callback([&line, options] {
    line.command = [&line, options](Log& log) {
      return rhythm_command(line.common, options->beats, options->out, log);
    };
  });
}

void add_generate(CLI::App& app, ParsedLine& line) {
  auto* command = app.add_subcommand("generate",
                                     "Writes a synthetic ECG with known beats: the recording FILE.csv, and its "
                                     "reference annotations FILE.truth.csv.");
  struct Options {
    GenerateOptions generate;
    std::filesystem::path out;
    std::string style = "decimal3";
  };
  const auto options = std::make_shared<Options>();
  command->add_option("--samples", options->generate.samples, "number of samples")->required()->type_name("N");
  command->add_option("--out", options->out, "CSV file to write")->required()->type_name("FILE.csv");
  command->add_option("--rate", options->generate.sample_rate_hz, "sampling rate in Hz")
      ->capture_default_str()
      ->type_name("HZ");
  command->add_option("--abnormal", options->generate.abnormal_share, "share of abnormal beats, from 0 to 1")
      ->capture_default_str()
      ->type_name("SHARE");
  command
      ->add_option("--style", options->style,
                   "how numbers are written: with 3 or 6 decimals, or with an exponent and 18 decimals")
      ->check(CLI::IsMember({"decimal3", "decimal6", "exponent18"}))
      ->capture_default_str();
  command->add_option("--seed", options->generate.seed, "seed of all random numbers")
      ->check(below_0)
      ->capture_default_str()
      ->type_name("N");
  add_threads_option(*command, line.common);
  command->add_flag("--force", line.common.force, "replace existing files");
  add_log_options(*command, line.common);
  command->callback([&line, options] {
    options->generate.style = *generate_style(options->style);
    line.command = [&line, options](Log& log) {
      return generate_command(options->generate, options->out, line.common.force, log);
    };
  });
}

void add_bench(CLI::App& app, ParsedLine& line) {
  auto* command = app.add_subcommand("bench",
                                     "Runs all stages on a recording several times in one process. Prints how long "
                                     "each stage took: JSON on stdout, a table on stderr. GB/s counts the bytes that a "
                                     "stage has to read and write; the last column compares it with a copy in memory.");
  const auto options = std::make_shared<BenchOptions>();
  command->add_option("input", options->input, "recording")->required()->type_name("INPUT");
  command->add_option("--repetitions", options->repetitions, "number of timed runs, from 1 to 10000")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str()
      ->type_name("N");
  command->add_option("--warm-up", options->warm_up, "number of untimed runs before them, at most 1000")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str()
      ->type_name("N");
  add_lead_option(*command, line.common);
  add_device_option(*command, line.common);
  add_threads_option(*command, line.common);
  add_config_options(*command, line.common);
  command->callback([&line, options] {
    line.command = [&line, options](Log& log) { return bench_command(line.common, *options, log); };
  });
}

void add_inspect(CLI::App& app, ParsedLine& line) {
  auto* command = app.add_subcommand("inspect",
                                     "Prints what a run would read from a recording, as JSON: format, columns, "
                                     "sampling rate, missing and bad values, duration.");
  const auto input = std::make_shared<std::filesystem::path>();
  command->add_option("input", *input, "recording")->required()->type_name("INPUT");
  add_lead_option(*command, line.common);
  add_threads_option(*command, line.common);
  add_config_options(*command, line.common);
  command->callback([&line, input] {
    line.command = [&line, input](Log& log) { return inspect_command(line.common, *input, log); };
  });
}

void add_config(CLI::App& app, ParsedLine& line) {
  auto* command = app.add_subcommand("config",
                                     "Shows the configuration that a run would use, checks a configuration, or prints "
                                     "the JSON Schema of configuration files.");
  struct Options {
    std::string action, file;
  };
  const auto options = std::make_shared<Options>();
  command->add_option("action", options->action, "what to do: show, check or schema")
      ->required()
      ->check(CLI::IsMember({"show", "check", "schema"}))
      ->type_name("ACTION");
  command->add_option("file", options->file, "configuration file or name, instead of --config")->type_name("FILE|NAME");
  add_device_option(*command, line.common);
  add_config_options(*command, line.common);
  command->callback([&line, options] {
    if (!options->file.empty()) line.common.config = options->file;
    if (options->action == "show") line.command = [&line](Log&) { return show_config_command(line.common); };
    if (options->action == "check") line.command = [&line](Log&) { return check_config_command(line.common); };
    if (options->action == "schema") line.command = [](Log&) { return config_schema_command(); };
  });
}

void add_info(CLI::App& app, ParsedLine& line) {
  auto* command = app.add_subcommand("info", "Prints version, build, libraries and devices as JSON.");
  add_log_options(*command, line.common);
  command->callback([&line] { line.command = [](Log&) { return info_command(); }; });
}

void add_completion(CLI::App& app, ParsedLine& line) {
  auto* command = app.add_subcommand("completion", "Prints a script that completes the command line in a shell.");
  const auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->type_name("SHELL");
  command->callback([&app, &line, shell] {
    line.command = [&app, shell](Log&) { return completion_command(*shell, command_tree(app)); };
  });
}

void add_man(CLI::App& app, ParsedLine& line) {
  auto* command = app.add_subcommand("man", "Prints the manual page. `beatscan man | man -l -` shows it.");
  command->callback([&app, &line] { line.command = [&app](Log&) { return man_command(command_tree(app)); }; });
}

}  // namespace

void add_commands(CLI::App& app, ParsedLine& line) {
  for (const auto add : {add_run, add_score, add_cohort, add_rhythm, add_evaluate, add_report, add_revise, add_plot,
                         add_generate, add_bench, add_inspect, add_config, add_info, add_completion, add_man})
    add(app, line);
}

void add_evaluate(CLI::App& app, ParsedLine& line) {
  auto* command = app.add_subcommand(
      "evaluate",
      "Compares a result, or all results of a folder, with reference annotations. Prints the agreement as JSON, or "
      "the tables of a standard.");
  const auto all = std::make_shared<EvaluateOptions>();
  EvaluateRequest* const options = &all->request;
  command->add_option("folder", options->folder, "folder of a result, or of a batch")->required()->type_name("DIR");
  command
      ->add_option("--truth", options->truth,
                   "reference annotations: CSV with the columns sample and symbol, or a WFDB annotation file; for a "
                   "batch the folder that has NAME.atr, NAME.truth.csv or NAME.csv of each recording")
      ->type_name("FILE");
  command
      ->add_option("--reference", all->reference,
                   "folder of a result with a reader's corrections, whose beats and episodes are the truth")
      ->excludes("--truth")
      ->type_name("DIR");
  command
      ->add_option("--rhythms", options->rhythms,
                   "reference rhythms: CSV with the columns sample and label, or a WFDB annotation file, if they are "
                   "not in the truth file")
      ->type_name("FILE");
  command
      ->add_option(
          "--tolerance-ms", options->tolerance_ms,
          "largest distance in ms, from 0 to 1000, between a beat, or an onset, peak or end of a wave, and the "
          "reference that it matches")
      ->check(CLI::Range(0.0, 1000.0))
      ->capture_default_str()
      ->type_name("MS");
  command->add_option("--rate", options->sample_rate_hz, "sampling rate in Hz, if unknown in the result")
      ->check(CLI::Range(1.0, 100000.0))
      ->type_name("HZ");
  command
      ->add_option("--lead", options->lead,
                   "lead whose waves are compared with those of the truth file, by name or by position from 0; needs a "
                   "result of --waves; default: waves over all leads")
      ->type_name("NAME|POSITION");
  command
      ->add_option("--standard", all->standard,
                   "print the tables of ANSI/AAMI EC57 as WFDB's bxb, rxr, epicmp, mxm and sumstats do: without the "
                   "first 5 minutes, by RECORD.vae")
      ->check(CLI::IsMember({"ec57"}))
      ->type_name("NAME");
  command
      ->add_option("--exclude", all->excluded,
                   "with --standard: results of a batch that do not count, such as those of paced records; commas "
                   "between the names")
      ->delimiter(',')
      ->type_name("NAME");
  command->add_flag("--json", all->json, "with --standard: print JSON instead of tables");
  add_log_options(*command, line.common);
  command->callback([&line, all] { line.command = [all](Log& log) { return evaluate_command(*all, log); }; });
}

void add_report(CLI::App& app, ParsedLine& line) {
  auto* command = app.add_subcommand("report", "Writes report.html again, from the other files of a result.");
  const auto folder = std::make_shared<std::filesystem::path>();
  command->add_option("folder", *folder, "folder of a result")->required()->type_name("DIR");
  add_log_options(*command, line.common);
  command->callback([&line, folder] { line.command = [folder](Log& log) { return report_command(*folder, log); }; });
}

void add_revise(CLI::App& app, ParsedLine& line) {
  auto* command = app.add_subcommand("revise",
                                     "Applies a reader's corrections to a result: writes its tables, episodes, counts "
                                     "and page again, without reading the signal.");
  const auto request = std::make_shared<ReviseRequest>();
  command->add_option("folder", request->folder, "folder of a result")->required()->type_name("DIR");
  command
      ->add_option(
          "--corrections", request->corrections,
          "corrections.json, as the page saves it, or a WFDB annotation file or CSV whose beats count instead; "
          "default: DIR/corrections.json")
      ->type_name("FILE");
  command->add_option("--out", request->out, "folder for the revised result; default: DIR/revised")->type_name("DIR");
  command->add_flag("--force", request->force, "replace a revised result that has more corrections");
  add_log_options(*command, line.common);
  command->callback([&line, request] { line.command = [request](Log& log) { return revise_command(*request, log); }; });
}

void add_plot(CLI::App& app, ParsedLine& line) {
  auto* command = app.add_subcommand("plot",
                                     "Draws a part of a result's recording as a strip at 25 mm/s and 10 mm/mV: an SVG "
                                     "or PNG file for a paper or a slide.");
  const auto request = std::make_shared<PlotRequest>();
  command->add_option("folder", request->folder, "folder of a result")->required()->type_name("DIR");
  command->add_option("--beat", request->beat, "number of a beat in beats.csv, at the middle of the strip")
      ->type_name("N");
  command
      ->add_option("--episode", request->episode,
                   "number of an episode: its row in episodes.csv, from 0; a long one is drawn from its beginning")
      ->type_name("N");
  command
      ->add_option("--from", request->from,
                   "time in the recording at which the strip begins, such as 12.5, 5:09.5 or 1:02:03 (samples, if the "
                   "sampling rate is unknown)")
      ->type_name("T");
  command->add_option("--to", request->to, "time at which it ends, at most 60 s later")->type_name("T");
  command->add_flag("--waves", request->waves,
                    "mark P and QRS from onset to end, and T from its peak to its end; those of each lead if the "
                    "result has waves.csv, else those over all leads");
  command->add_option("--out", request->out, "picture to write: FILE.svg, or FILE.png by librsvg")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--dpi", request->dpi,
                   "resolution of a PNG in pixels an inch, from 25 to 2400; stored in the file, so that prints have 25 "
                   "mm/s (default 300)")
      ->type_name("DPI");
  command->add_flag("--force", request->force, "replace an existing file");
  add_log_options(*command, line.common);
  command->callback([&line, request] { line.command = [request](Log& log) { return plot_command(*request, log); }; });
}

}  // namespace beatscan
