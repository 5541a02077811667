#include "app/cli/batch_options.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "app/batch/cohort.h"
#include "app/cli/add_commands.h"
#include "app/cli/common_options.h"
#include "app/common/log.h"

namespace beatscan {

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

}  // namespace beatscan
