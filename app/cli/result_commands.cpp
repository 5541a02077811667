#include "app/cli/commands.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/cli/print_json.h"
#include "app/common/log.h"
#include "app/common/numbers.h"
#include "app/common/partial_file.h"
#include "app/evaluation/evaluate_batch.h"
#include "app/report/paper/plot.h"
#include "app/report/report.h"
#include "app/report/stored/damaged_file.h"

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

int plot_command(const PlotRequest& request, Log& log) {
  check_picture(request);
  check_writable(request.out, request.force);
  const StoredResult result = read_stored_result(request.folder);
  try {
    const PlotStretch stretch = plotted_stretch(result, request);
    const double unit = result.rate_hz.value_or(1);
    const std::int64_t first = std::llround(stretch.from * unit),
                       end = std::max<std::int64_t>(first + 2, std::llround(stretch.to * unit));
    const PlotWaves waves = request.waves ? plotted_waves(result, stretch.from, stretch.to) : PlotWaves();
    const std::string picture =
        picture_file(plot_drawing(result, stretch, first, plotted_signal(result, first, end), waves), request);
    if (stretch.cut)
      log.warning("the episode is longer than " + fixed(kLongestPlot_s, 0) + " s; the picture shows its beginning");
    write_durably(request.out, picture);
    log.info(request.out.string() + ", " + megabytes(static_cast<double>(picture.size())));
  } catch (const Json::exception& error) {
    fail_damaged(request.folder / "summary.json", std::string("is not as expected (") + error.what() + ")");
  }
  return 0;
}

}  // namespace beatscan
