#include "app/report/cohort_files.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>

#include "app/common/partial_file.h"
#include "app/output/tables/parquet.h"
#include "app/report/cohort_page.h"
#include "app/report/cohort_table.h"
#include "app/report/stored/stored_findings.h"
#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

void put_in_order(std::vector<CohortRow>& rows) {
  std::ranges::stable_sort(rows, {}, [](const CohortRow& row) { return std::tie(row.name, row.input); });
}

// Returns the confidence of the atrial fibrillation of a result, mean over its time; nothing where it is not known.
std::optional<double> af_confidence_of(const std::filesystem::path& result) {
  double seconds = 0, certain_s = 0;
  try {
    const auto episodes = read_episodes(result / "episodes.csv", std::numeric_limits<double>::infinity());
    for (const StoredEpisode& episode : episodes.value_or(std::vector<StoredEpisode>())) {
      if (episode.label != "AFIB" || std::isnan(episode.confidence)) continue;
      seconds += episode.to - episode.from;
      certain_s += episode.confidence * (episode.to - episode.from);
    }
  } catch (const Error&) {  // a damaged file of one recording does not keep the others from their list
    return {};
  }
  return seconds > 0 ? std::optional(certain_s / seconds) : std::nullopt;
}

// Looks at what the page says of a recording beside its row.
void look_at_result(const std::filesystem::path& result, CohortRow& row) {
  std::error_code unknown;
  row.page = std::filesystem::exists(result / "report.html", unknown);
  if (finding_named(row, "af_share").value_or(0) > 0) row.af_confidence = af_confidence_of(result);
}

}  // namespace

void check_cohort_files(const std::filesystem::path& folder, bool batch, bool force) {
  const auto refuse = [&](const std::string& what, const std::string& instead) {
    fail(ErrorKind::output, folder.string(), what + ", which is never replaced; give " + instead);
  };
  std::error_code unknown;
  if (!batch) {
    if (std::filesystem::exists(folder / kCohortTable, unknown)) refuse("holds a batch of results", "another --out");
    return;
  }
  if (std::filesystem::exists(folder / "summary.json", unknown))
    refuse("is the result of one recording", "the folder above it, or another --out");
  for (const char* name : {kCohortPage, kCohortTable, kCohortParquet, kFailureTable}) {
    check_writable(folder / name, true);
    if (!force && name != kFailureTable && std::filesystem::exists(folder / name, unknown))
      fail(ErrorKind::output, (folder / name).string(),
           "exists; --resume keeps what is complete there, --force replaces it; or give another --out");
  }
}

void check_lists(const std::filesystem::path& folder) {
  for (const auto& [name, mark] : {std::pair(kCohortPage, "<title>beatscan: recordings</title>"),
                                   std::pair(kCohortTable, "recording,folder,failure,"),
                                   std::pair(kFailureTable, "input,name,status,message\n")}) {
    std::ifstream file(folder / name, std::ios::binary);
    std::string head(1024, '\0');
    file.read(head.data(), static_cast<std::streamsize>(head.size()));
    if (file.gcount() > 0 && head.find(mark) == head.npos)
      fail(ErrorKind::output, (folder / name).string(),
           "is no list of a batch; give another --out, or --force to replace it");
  }
}

void write_failures(const std::filesystem::path& folder, std::vector<CohortRow> rows) {
  put_in_order(rows);
  write_durably(folder / kFailureTable, failures_csv(rows));
  std::error_code unknown;
  for (const char* name : {kCohortPage, kCohortTable, kCohortParquet}) std::filesystem::remove(folder / name, unknown);
}

void write_cohort(const std::filesystem::path& folder, std::vector<CohortRow> rows, TableForm form) {
  put_in_order(rows);
  write_durably(folder / kFailureTable, failures_csv(rows));
  for (auto& row : rows) {
    row.page = false;
    if (row.state == RecordingState::complete && row.failure.empty())
      look_at_result(folder / (row.folder.empty() ? row.name : row.folder), row);
  }
  std::error_code unknown;
  if (wants_parquet(form))
    write_durably(folder / kCohortParquet, parquet_bytes(cohort_table(rows)));
  else
    std::filesystem::remove(folder / kCohortParquet, unknown);  // an earlier one would describe other results
  write_durably(folder / kCohortTable, cohort_csv(rows));
  write_durably(folder / kCohortPage, cohort_page(rows));
}

}  // namespace beatscan
