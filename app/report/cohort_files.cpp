#include "app/report/cohort_files.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include "app/common/partial_file.h"
#include "app/output/output_folder.h"
#include "app/output/tables/parquet.h"
#include "app/report/cohort_page.h"
#include "app/report/cohort_table.h"
#include "app/report/stored/stored_findings.h"
#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

// A list that a batch writes, and a text that stands in its first KB.
struct List {
  const char* name;
  std::string_view mark;
};
constexpr List kLists[] = {{kCohortPage, "<title>beatscan: recordings</title>"},
                           {kCohortTable, "recording,folder,failure,"},
                           {kFailureTable, "input,name,status,message\n"}};

bool begins_with_mark(const std::filesystem::path& file, const List& list) {
  std::array<char, 1024> begin{};
  std::ifstream(file, std::ios::binary).read(begin.data(), begin.size());
  return std::string_view(begin.data(), begin.size()).find(list.mark) != std::string_view::npos;
}

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
  row.revised = std::filesystem::exists(result / kRevisedFolder / "summary.json", unknown);
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

bool is_list_of_batch(const std::filesystem::path& file) {
  if (file.filename() == kCohortParquet) return is_list_of_batch(file.parent_path() / kCohortTable);
  const auto* list = std::ranges::find(kLists, file.filename(), &List::name);
  return list != std::end(kLists) && begins_with_mark(file, *list);
}

void check_lists(const std::filesystem::path& folder) {
  std::error_code unknown;
  for (const List& list : kLists)
    if (const auto file = folder / list.name;
        std::filesystem::file_size(file, unknown) > 0 && !unknown && !begins_with_mark(file, list))
      fail(ErrorKind::output, file.string(), "is no list of a batch; give another --out, or --force to replace it");
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
    row.page = row.revised = false;
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
