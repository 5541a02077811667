#include "app/cli/form_options.h"

#include <CLI/CLI.hpp>
#include <map>
#include <string>

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
}

}  // namespace beatscan
