#include "app/cli/commands.h"

#include <chrono>

#include "app/cli/print_json.h"
#include "app/evaluation/evaluate_batch.h"
#include "app/files/durable.h"
#include "app/report/report.h"

namespace beatscan {

int evaluate_command(const EvaluateRequest& request, Log& log) {
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

}  // namespace beatscan
