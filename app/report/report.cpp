#include "app/report/report.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "app/common/numbers.h"
#include "app/report/assets.h"
#include "app/report/drawing/html.h"
#include "app/report/page_data.h"
#include "app/report/page_template.h"
#include "app/report/stored/damaged_file.h"

namespace beatscan {
namespace {

// Says in a sentence what the result holds, for a reader whose browser runs no script.
std::string verdict(const StoredResult& result) {
  const Json& summary = result.summary;
  const Json& anomaly = summary.at("anomaly");
  const auto found = summary.at("beats").at("found").get<std::int64_t>();
  std::string words = grouped(found, "beat") + ", of which " +
                      grouped(anomaly.value("count_in_good_signal", anomaly.at("count").get<std::int64_t>())) +
                      " in good signal are abnormal";
  const Json episodes = summary.value(Json::json_pointer("/findings/episodes"), Json::object());
  std::string parts;
  for (const auto& [label, its] : episodes.items())
    parts += (parts.empty() ? "; episodes: " : ", ") + label + " " + grouped(its.value("count", std::int64_t{0}));
  return words + parts + ".";
}

}  // namespace

std::string report_page(const std::filesystem::path& folder, std::optional<HeldResult> held) {
  return report_page(read_stored_result(folder, std::move(held)));
}

std::string report_page(const StoredResult& result) {
  static const PageScript script(std::string("\n") + kUplotJs + "\n" + kPageJs);
  try {
    return filled_page(kPageHtml,
                       {{"title", escaped(result.title())},
                        {"verdict", escaped(verdict(result))},
                        {"style", std::string(kUplotCss) + "\n" + kPageCss},
                        {"licence", escaped(kUplotLicence)}},
                       script, page_data(result));
  } catch (const Json::exception& error) {
    fail_damaged(result.folder / "summary.json", std::string("is not as expected (") + error.what() + ")");
  }
}

std::string report_line(const std::filesystem::path& path, const std::string& page,
                        std::chrono::steady_clock::time_point start) {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return path.string() + ", " + megabytes(static_cast<double>(page.size())) + " in " + significant(elapsed.count(), 2) +
         " s";
}

}  // namespace beatscan
