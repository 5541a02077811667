#include "app/report/cohort_files.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>

#include "app/common/durable.h"
#include "app/common/partial_file.h"
#include "app/output/tables/parquet.h"
#include "app/report/cohort_page.h"
#include "app/report/cohort_table.h"
#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

void put_in_order(std::vector<CohortRow>& rows) {
  std::ranges::stable_sort(rows, {}, [](const CohortRow& row) { return std::tie(row.name, row.input); });
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
  std::error_code unknown;
  for (auto& row : rows)
    row.page = row.state == RecordingState::complete && row.failure.empty() &&
               std::filesystem::exists(folder / (row.folder.empty() ? row.name : row.folder) / "report.html", unknown);
  if (wants_parquet(form))
    write_durably(folder / kCohortParquet, parquet_bytes(cohort_table(rows)));
  else
    std::filesystem::remove(folder / kCohortParquet, unknown);  // an earlier one would describe other results
  write_durably(folder / kCohortTable, cohort_csv(rows));
  write_durably(folder / kCohortPage, cohort_page(rows));
}

}  // namespace beatscan
