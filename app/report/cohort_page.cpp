#include "app/report/cohort_page.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "app/report/cohort_files.h"
#include "app/report/drawing/html.h"
#include "app/result/files/finding_columns.h"
#include "app/text/build_info.h"
#include "app/text/numbers.h"

namespace beatscan {
namespace {

constexpr const char* kStyle = R"(
:root {
  --paper: #fff; --ink: #1b2127; --muted: #5c6873; --line: #dfe4e8; --link: #0072b2; --bar: #f3c6a5; color-scheme: light;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --paper: #14171a; --ink: #e6e9ec; --muted: #9ba7b2; --line: #30373d; --link: #56b4e9; --bar: #6b3f22;
    color-scheme: dark;
  }
}
body { margin: 0; padding: 24px max(20px, 2.5vw); background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;
  font-variant-numeric: tabular-nums; }
h1 { margin: 0 0 4px; font-size: 26px; }
p { margin: 4px 0; color: var(--muted); }
.scroll { overflow: auto; max-height: calc(100vh - 60px); margin: 18px 0; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: 6px 10px; border-bottom: 1px solid var(--line); text-align: right; vertical-align: top;
  white-space: nowrap; }
th:first-child, td:last-child, th:last-child { text-align: left; white-space: normal; }
td:last-child { min-width: 28em; overflow-wrap: anywhere; }
.remark { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden; }
.remark:hover, .remark:focus { -webkit-line-clamp: none; }
thead th { position: sticky; top: 0; z-index: 1; background: var(--paper); }
th:first-child { position: sticky; left: 0; background: var(--paper); }
thead th:first-child { z-index: 2; }
tbody th { min-width: 6em; max-width: 22em; overflow-wrap: anywhere; font-weight: 600; }
.state { display: block; font-weight: 400; color: var(--ink); }
a { color: var(--link); }
thead button { all: unset; cursor: pointer; }
thead button:focus-visible { outline: 2px solid var(--link); }
[aria-sort=ascending] button::after { content: " ▲"; }
[aria-sort=descending] button::after { content: " ▼"; }
.share { background: linear-gradient(to left, var(--bar) var(--part), transparent var(--part)) bottom / 100% 3px no-repeat; }
.failed th, .failed td { color: var(--muted); }
.failed td:last-child { color: var(--ink); }
@media print {
  a { color: inherit; } thead { display: table-header-group; } tr { break-inside: avoid; }
  .scroll { max-height: none; overflow: visible; } .remark { display: block; overflow: visible; }
  thead th, th:first-child { position: static; }
}
)";

// A click on a heading sorts by the cells' data-v: numbers from the largest, text from A; cells without it come last.
constexpr const char* kScript = R"(
for (const [column, heading] of document.querySelectorAll('thead th').entries()) {
  const button = document.createElement('button');
  button.append(...heading.childNodes);
  heading.append(button);
  button.onclick = () => {
    const body = document.querySelector('tbody'), text = heading.dataset.kind === 'text';
    const ascending = heading.ariaSort ? heading.ariaSort !== 'ascending' : text;
    document.querySelectorAll('thead th').forEach(other => other.ariaSort = null);
    heading.ariaSort = ascending ? 'ascending' : 'descending';
    const value = row => row.cells[column].dataset.v ?? '';
    const compare = (a, b) => text ? a.localeCompare(b) : a - b;
    body.append(...[...body.rows].sort((a, b) => {
      const x = value(a), y = value(b);
      return x === '' || y === '' ? (x === '') - (y === '') : compare(x, y) * (ascending ? 1 : -1);
    }));
  };
}
)";

// Escapes all bytes of a path's segment except the unreserved ones (RFC 3986).
std::string url_of(const std::string& name) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string url;
  for (const unsigned char c : name)
    if (kPlain.find(static_cast<char>(c)) != kPlain.npos)
      url += static_cast<char>(c);
    else
      (url += '%') += {kDigits[c / 16], kDigits[c % 16]};
  return url;
}

// Returns the cell of a number that may not exist: `text` to read, and the exact number for sorting.
std::string cell(std::optional<double> value, const std::string& text, const std::string& attributes = "") {
  if (!value) return "<td>–</td>";
  return "<td data-v=\"" + exact(*value) + "\"" + attributes + ">" + text + "</td>";
}

std::string finding_text(double value, FindingUnit unit) {
  if (unit == FindingUnit::count) return grouped(std::llround(value));
  if (unit == FindingUnit::share) return percent(value);
  if (unit == FindingUnit::milliseconds) return fixed(value, 0) + " ms";
  if (unit == FindingUnit::time) return clock_time(value);
  return fixed(value, 1) + " s";
}

// Returns the cells of the findings that pages show.
std::string finding_cells(const CohortRow& row) {
  std::string cells;
  const auto add = [&](const FindingColumn& column, std::optional<double> value) {
    if (column.telling) cells += cell(value, finding_text(value.value_or(0), column.unit));
  };
  for (std::size_t i = 0; i < finding_columns().size(); ++i) add(finding_columns()[i], finding_of(row, i));
  for (std::size_t i = 0; i < wave_columns().size(); ++i) add(wave_columns()[i], wave_value_of(row, i));
  return cells;
}

std::string finding_headings() {
  std::string headings;
  for (const auto* columns : {&finding_columns(), &wave_columns()})
    for (const auto& column : *columns)
      if (column.telling)
        headings += "<th scope=\"col\" title=\"" + escaped(column.what) + "\">" + escaped(column.title) + "</th>";
  return headings;
}

RecordingState state_of(const CohortRow& row) { return row.failure.empty() ? row.state : RecordingState::failed; }

bool is_complete(const CohortRow& row) { return state_of(row) == RecordingState::complete; }

// Returns the text of the last cell of a recording.
std::string remark_of(const CohortRow& row) {
  if (!row.failure.empty()) return "failed: " + row.failure;
  if (row.state == RecordingState::interrupted) return "interrupted; --resume makes it";
  return row.state == RecordingState::complete ? joined_advisories(row) : name_of(row.state);
}

// Returns where the result of a row lies, seen from the page.
std::string url_of_result(const CohortRow& row) {
  if (row.folder.empty()) return url_of(row.name);
  std::string url;
  for (const auto& part : std::filesystem::path(row.folder)) url += (url.empty() ? "" : "/") + url_of(part.string());
  return url;
}

std::string html_row(const CohortRow& row) {
  const bool failed = !is_complete(row);
  const double share = row.by_signal.good_share;
  const auto number = [&](double value) { return failed ? std::nullopt : std::optional(value); };
  const std::string name = escaped(row.name), remark = escaped(remark_of(row));
  const std::string link = url_of_result(row) + (row.page ? "/report.html" : "/");
  return std::string(failed ? "<tr class=\"failed\">" : "<tr>") + "<th scope=\"row\" data-v=\"" + name + "\">" +
         (failed ? name + "<span class=\"state\">" + name_of(state_of(row)) + "</span>"
                 : "<a href=\"" + link + "\">" + name + "</a>") +
         "</th>" + cell(row.duration_s, duration(row.duration_s.value_or(0))) +
         cell(number(static_cast<double>(row.beats)), grouped(row.beats)) +
         cell(row.beats_a_minute, fixed(row.beats_a_minute.value_or(0), 0)) +
         cell(number(static_cast<double>(row.by_signal.good)), grouped(row.by_signal.good)) +
         cell(number(share), percent(share), " class=\"share\" style=\"--part:" + fixed(100 * share, 2) + "%\"") +
         cell(number(static_cast<double>(row.by_signal.poor)), grouped(row.by_signal.poor)) +
         cell(row.analysable_share, percent(row.analysable_share.value_or(0))) + finding_cells(row) + "<td data-v=\"" +
         remark + "\"><div class=\"remark\" tabindex=\"0\">" + remark + "</div></td></tr>\n";
}

// Returns ", 1 of them failed, 2 running"; empty where all are complete.
std::string incomplete_counts(const std::vector<CohortRow>& rows) {
  std::string text;
  for (const auto state :
       {RecordingState::failed, RecordingState::running, RecordingState::interrupted, RecordingState::missing}) {
    if (const auto count = std::ranges::count(rows, state, state_of); count > 0)
      text += ", " + grouped(count) + (text.empty() ? " of them " : " ") + name_of(state);
  }
  return text;
}

// Returns "5 recordings, 1 of them failed: 2 h 3 min, 3,854 beats, 131 of them abnormal."
std::string cohort_headline(const std::vector<CohortRow>& rows) {
  std::int64_t beats = 0, anomalous = 0, poor = 0;
  double duration_s = 0;
  for (const auto& row : rows) {
    beats += row.beats;
    anomalous += row.by_signal.good;
    poor += row.by_signal.poor;
    duration_s += row.duration_s.value_or(0);
  }
  return grouped(std::ssize(rows), "recording") + incomplete_counts(rows) + ": " +
         (duration_s > 0 ? duration(duration_s) + ", " : "") + grouped(beats, "beat") + ", " + grouped(anomalous) +
         " of them abnormal" + (poor > 0 ? " in good signal, and " + grouped(poor) + " in poor signal." : ".");
}

// Returns the rows that a page shows, in their order.
std::vector<const CohortRow*> rows_on_page(const std::vector<CohortRow>& rows) {
  std::vector<const CohortRow*> shown;
  for (const auto& row : rows) shown.push_back(&row);
  if (shown.size() <= kMostPageRows) return shown;
  const auto rank = [](const CohortRow* row) { return std::pair(is_complete(*row), -row->by_signal.good_share); };
  std::ranges::stable_sort(shown, {}, rank);
  shown.resize(kMostPageRows);
  std::ranges::sort(shown);  // they point into one array
  return shown;
}

}  // namespace

std::string cohort_page(const std::vector<CohortRow>& rows) {
  std::string html = R"(<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>beatscan: recordings</title>
<style>)" + std::string(kStyle) +
                     "</style>\n<h1>Recordings</h1>\n<p>" + cohort_headline(rows) +
                     "</p>\n<p>For research use. It is not a diagnosis, and the program is no medical device.</p>\n" +
                     R"(<div class="scroll"><table>
<thead><tr><th scope="col" data-kind="text">recording</th><th scope="col">duration</th><th scope="col">beats</th>)" +
                     R"(<th scope="col">beats a minute</th><th scope="col">abnormal</th><th scope="col">share</th>)" +
                     R"(<th scope="col">in poor signal</th>)" + R"(<th scope="col">analysable</th>)" +
                     finding_headings() +
                     R"(<th scope="col" data-kind="text">remarks</th></tr></thead>
<tbody>
)";
  for (const auto* row : rows_on_page(rows)) html += html_row(*row);
  const std::string left_out = rows.size() > kMostPageRows ? "<p>The page shows " + grouped(kMostPageRows) +
                                                                 " recordings: those that are not complete, and then "
                                                                 "those with the largest share of abnormal beats.</p>\n"
                                                           : "";
  return html + "</tbody></table></div>\n" + left_out + "<p>" + (left_out.empty() ? "The same rows" : "All rows") +
         ": <a href=\"" + kCohortTable + "\">" + kCohortTable +
         "</a>. Heart rates are medians. Abnormal beats are those in good signal, with their share of the beats there; "
         "those in "
         "poor signal have a column of their own. Made by beatscan " +
         BEATSCAN_VERSION + ".</p>\n<script>" + kScript + "</script>\n</html>\n";
}

}  // namespace beatscan
