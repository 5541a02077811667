#include <CLI/CLI.hpp>
#include <memory>

#include "app/cli/add_commands.h"
#include "app/cli/commands.h"
#include "app/cli/common_options.h"
#include "app/common/log.h"
#include "app/evaluation/evaluate.h"
#include "app/report/paper/plot.h"

namespace beatscan {

void add_evaluate(CLI::App& app, ParsedLine& line) {
  auto* command = app.add_subcommand(
      "evaluate",
      "Compares a result, or all results of a folder, with reference annotations. Prints the agreement as JSON.");
  const auto options = std::make_shared<EvaluateRequest>();
  command->add_option("folder", options->folder, "folder of a result, or of a batch")->required()->type_name("DIR");
  command
      ->add_option("--truth", options->truth,
                   "reference annotations: CSV with the columns sample and symbol, or a WFDB annotation file; for a "
                   "batch the folder that has NAME.atr, NAME.truth.csv or NAME.csv of each recording")
      ->required()
      ->type_name("FILE");
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
  add_log_options(*command, line.common);
  command->callback(
      [&line, options] { line.command = [options](Log& log) { return evaluate_command(*options, log); }; });
}

void add_report(CLI::App& app, ParsedLine& line) {
  auto* command = app.add_subcommand("report", "Writes report.html again, from the other files of a result.");
  const auto folder = std::make_shared<std::filesystem::path>();
  command->add_option("folder", *folder, "folder of a result")->required()->type_name("DIR");
  add_log_options(*command, line.common);
  command->callback([&line, folder] { line.command = [folder](Log& log) { return report_command(*folder, log); }; });
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
