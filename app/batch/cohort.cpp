#include "app/batch/cohort.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "app/batch/recordings.h"
#include "app/batch/resume.h"
#include "app/common/errors.h"
#include "app/common/numbers.h"
#include "app/common/partial_file.h"
#include "app/common/whole_file.h"
#include "app/output/tables/parquet.h"
#include "app/pipeline/checkpoint.h"
#include "app/report/cohort_files.h"
#include "kernels/runtime/context.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "stages/common/counted.h"
#include "stages/common/interrupt.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

// Lists the files that a recording has left in a folder.
struct Traces {
  bool result = false, failure = false;
};
using TracesByPlace = std::map<fs::path, Traces>;  // by the path of the result

bool is_result(const fs::path& folder) {
  std::error_code unknown;
  return fs::exists(folder / "summary.json", unknown);
}

void find_traces(const fs::path& folder, TracesByPlace& traces) {
  throw_if_interrupted();
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const fs::path path = entry->path();
    const std::string file = path.filename().string();
    if (const auto failed = name_of_hidden(file, kFailureEnding); !failed.empty()) {
      traces[folder / failed].failure = true;
    } else if (const auto claimed = name_of_hidden(file, kClaimEnding); !claimed.empty()) {
      traces.try_emplace(folder / claimed);
    } else if (const auto begun = name_of_hidden(file, kCheckpointEnding); !begun.empty()) {
      traces.try_emplace(folder / begun);
    } else if (std::error_code unknown; !file.starts_with('.') && entry->is_directory(unknown)) {
      if (!is_result(path)) {
        if (!entry->is_symlink(unknown)) find_traces(path, traces);
      } else if (!is_of_rhythm(path)) {
        traces[path].result = true;
      }
    }
  }
  if (error)
    fail(ErrorKind::input, folder.string(),
         "cannot be listed (" + error.message() + "); check the name and its permissions");
}

bool is_listed_result(const fs::path& folder) { return is_result(folder) && !is_of_rhythm(folder); }

CohortRow row_of_result(const fs::path& folder) {
  try {
    return stored_cohort_row(folder);
  } catch (const std::exception& error) {
    return failed_row("", folder.filename().string(), static_cast<int>(ExitStatus::output), error.what());
  }
}

// Returns whether two inputs have the same file name; RECORD and RECORD.hea count as one. Folders are not compared,
// because a list may be read from a folder other than that of the run.
bool same_file_name(const std::string& a, const std::string& b) {
  const auto name = [](const std::string& input) {
    const fs::path path(input);
    return path.extension() == ".hea" ? path.stem() : path.filename();
  };
  return name(a) == name(b);
}

// Returns the table format of the results, taken from the first one. With Parquet, cohort.parquet is written too.
TableForm form_of(const std::vector<CohortRow>& rows, const fs::path& out) {
  int looked_at = 0;
  for (const auto& row : rows) {
    if (row.state != RecordingState::complete) continue;
    std::error_code unknown;
    if (fs::exists(out / (row.folder.empty() ? row.name : row.folder) / "beats.parquet", unknown)) {
      require_parquet();
      return TableForm::both;
    }
    if (++looked_at == 64) break;
  }
  return TableForm::csv;
}

// Returns the path with all links resolved.
std::string real_place(const fs::path& place, bool is_link, RealFolders& folders) {
  std::error_code broken;
  if (is_link)
    if (const auto real = fs::canonical(place, broken); !broken) return real.string();
  return (folders.of(place.parent_path()) / place.filename()).string();
}

// Keeps one row of each path. Returns how many links were dropped because their target has a row. The same folder may
// be given twice, inside another one, or by another name.
std::int64_t leave_out_doubles(std::vector<CohortRow>& rows, const fs::path& out) {
  struct Placed {
    std::string real;
    bool is_link;
    std::string place;
    CohortRow row;
  };
  const fs::path from = fs::absolute(out);
  RealFolders folders;
  std::vector<Placed> placed;
  for (auto& row : rows) {
    const fs::path place = (from / (row.folder.empty() ? row.name : row.folder)).lexically_normal();
    std::error_code unknown;
    const bool is_link = fs::is_symlink(place, unknown);
    placed.push_back({real_place(place, is_link, folders), is_link, place.string(), std::move(row)});
  }
  std::ranges::sort(placed, {},
                    [](const Placed& one) { return std::tie(one.real, one.is_link, one.row.folder, one.place); });
  rows.clear();
  std::int64_t links = 0;
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const bool is_double = i > 0 && placed[i].real == placed[i - 1].real;
    if (!is_double) rows.push_back(std::move(placed[i].row));
    links += is_double && placed[i].is_link && placed[i].place != placed[i - 1].place;
  }
  return links;
}

std::string counts_text(const std::vector<CohortRow>& rows) {
  std::string text = grouped(std::ssize(rows), "recording");
  const char* between = ": ";
  for (const auto state : {RecordingState::complete, RecordingState::failed, RecordingState::running,
                           RecordingState::interrupted, RecordingState::missing}) {
    const auto count = std::ranges::count(rows, state, &CohortRow::state);
    if (count > 0) text += std::exchange(between, ", ") + grouped(count) + " " + name_of(state);
  }
  return text;
}

// Returns whether the first file was written after the second one.
bool is_later(const fs::path& one, const fs::path& other) {
  std::error_code unknown;
  const auto time = fs::last_write_time(one, unknown);
  if (unknown) return false;
  const auto before = fs::last_write_time(other, unknown);
  return !unknown && time > before;
}

}  // namespace

// Reads the claim first, because a process releases it only once the result or the failure record exists. A failure
// record is newer than the result beside it if --force failed to replace that result. A failure record that is newer
// than an active claim belongs to the process that is about to release the claim.
CohortRow row_of_place(const fs::path& place) {
  const std::string name = place.filename().string();
  const auto claim = claim_state(claim_path(place));
  std::error_code unknown;
  const bool failed = fs::exists(failure_path(place), unknown);
  if (!failed && is_listed_result(place)) return row_of_result(place);
  if (claim && claim->held && !(failed && is_later(failure_path(place), claim_path(place))))
    return {.input = claim->input, .name = name, .state = RecordingState::running};
  if (failed) return read_failure(failure_path(place), name);
  return {.input = claim ? claim->input : "", .name = name, .state = RecordingState::interrupted};
}

std::vector<CohortRow> rows_below(const fs::path& folder, const fs::path& out) {
  TracesByPlace traces;
  std::error_code unknown;
  if (is_result(folder)) {
    if (!is_of_rhythm(folder)) traces[folder.has_filename() ? folder : folder.parent_path()].result = true;
  } else if (fs::is_directory(folder, unknown)) {
    find_traces(folder, traces);
  } else {
    fail(ErrorKind::input, folder.string(), "is not a folder; give the --out of a batch");
  }
  const std::vector<std::pair<fs::path, Traces>> found(traces.begin(), traces.end());
  std::vector<CohortRow> rows(found.size());
  const fs::path from = fs::absolute(out).lexically_normal();
  parallel_each(Cpu(), std::ssize(found), [&](std::int64_t i) {
    throw_if_interrupted();
    const Traces& traces = found[i].second;
    // Most folders hold only a result. Checking their claims as well would be slow on a network file system.
    rows[i] = traces.result && !traces.failure ? row_of_result(found[i].first) : row_of_place(found[i].first);
    const fs::path place = fs::absolute(found[i].first).lexically_normal();
    if (const auto seen = place.lexically_relative(from); seen != rows[i].name) rows[i].folder = seen.string();
  });
  return rows;
}

void add_missing(std::vector<CohortRow>& rows, const fs::path& list, const fs::path& out, Log& log) {
  const Recordings wanted = recordings_of({.inputs = {}, .list = list, .truth = {}, .out = out});
  for (const auto& warning : wanted.warnings) log.warning(warning);
  const std::size_t there = rows.size();
  std::unordered_map<std::string, std::size_t> by_name;
  for (std::size_t i = 0; i < there; ++i) by_name.emplace(rows[i].name, i);
  std::int64_t other = 0;
  std::string example;
  for (const auto& recording : wanted.all) {
    const std::string input = recording.input.string();
    const auto found = by_name.find(recording.name);
    if (found == by_name.end())
      rows.push_back({.input = input, .name = recording.name, .state = RecordingState::missing});
    else if (CohortRow& row = rows[found->second]; row.input.empty())
      row.input = input;
    else if (!same_file_name(row.input, input) && other++ == 0)
      example = recording.name + ", of " + row.input + " and in the list of " + input;
  }
  if (other > 0)
    log.warning(counted(other, "result is of another input", "results are of other inputs") +
                " than the list says, such as " + example);
  const std::size_t listed_there = wanted.all.size() - (rows.size() - there);
  if (there > listed_there)
    log.warning(counted(static_cast<std::int64_t>(there - listed_there), "recording is", "recordings are") +
                " there that the list does not name");
}

void cohort_command(const CohortRequest& request, Log& log) {
  const fs::path out = request.out.empty() ? request.folders.front() : request.out;
  std::vector<CohortRow> rows;
  for (const auto& folder : request.folders) std::ranges::move(rows_below(folder, out), std::back_inserter(rows));
  if (const auto links = leave_out_doubles(rows, out); links > 0)
    log.info(counted(links, "link to a result that is listed is", "links to results that are listed are") +
             " left out");
  if (!request.list.empty()) add_missing(rows, request.list, request.folders.front(), log);
  if (rows.empty())
    fail(ErrorKind::input, request.folders.front().string(),
         "has no result of `run` or `score`, nor the trace of one, below it; give the --out of a batch");
  check_cohort_files(out, true, true);
  if (!request.force) check_lists(out);
  std::error_code error;
  fs::create_directories(out, error);
  write_cohort(out, rows, form_of(rows, out));
  std::printf("cohort     %s\n", counts_text(rows).c_str());
  std::printf("lists      %s\n", (out / kCohortPage).c_str());
}

}  // namespace beatscan
