#include "app/report/cohort_page.h"

#include <algorithm>
#include <charconv>

#include "app/files/durable.h"
#include "app/files/partial_file.h"
#include "app/report/drawing/html.h"
#include "app/result/csv_files.h"
#include "app/result/findings_json.h"
#include "app/result/summary_text.h"
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
body { margin: 0 auto; max-width: 1160px; padding: 24px 20px; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;
  font-variant-numeric: tabular-nums; }
h1 { margin: 0 0 4px; font-size: 26px; }
p { margin: 4px 0; color: var(--muted); }
.scroll { overflow-x: auto; margin: 18px 0; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: 6px 10px; border-bottom: 1px solid var(--line); text-align: right; vertical-align: top;
  white-space: nowrap; }
th:first-child, td:last-child, th:last-child { text-align: left; white-space: normal; }
td:last-child { min-width: 16em; overflow-wrap: anywhere; }
tbody th { min-width: 6em; overflow-wrap: anywhere; }
tbody th { font-weight: 600; }
a { color: var(--link); }
thead button { all: unset; cursor: pointer; }
thead button:focus-visible { outline: 2px solid var(--link); }
[aria-sort=ascending] button::after { content: " ▲"; }
[aria-sort=descending] button::after { content: " ▼"; }
.share { background: linear-gradient(to left, var(--bar) var(--part), transparent var(--part)) bottom / 100% 3px no-repeat; }
.failed th, .failed td { color: var(--muted); }
.failed td:last-child { color: var(--ink); }
@media print { a { color: inherit; } thead { display: table-header-group; } tr { break-inside: avoid; } }
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

std::string exact(double value) {
  char digits[64];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

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

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const auto& text : texts) all += (all.empty() ? "" : "; ") + text;
  return all;
}

// Returns the cell of a number that may not exist: `text` to read, and the exact number for sorting.
std::string cell(std::optional<double> value, const std::string& text, const std::string& attributes = "") {
  if (!value) return "<td>–</td>";
  return "<td data-v=\"" + exact(*value) + "\"" + attributes + ">" + text + "</td>";
}

std::string html_row(const CohortRow& row, bool page_of_each) {
  const bool failed = !row.failure.empty();
  const double share = row.by_signal.good_share;
  const auto number = [&](double value) { return failed ? std::nullopt : std::optional(value); };
  const std::string name = escaped(row.name),
                    remark = escaped(failed ? "failed: " + row.failure : joined(row.warnings));
  const std::string link = url_of(row.name) + (page_of_each ? "/report.html" : "/");
  return std::string(failed ? "<tr class=\"failed\">" : "<tr>") + "<th scope=\"row\" data-v=\"" + name + "\">" +
         (failed ? name : "<a href=\"" + link + "\">" + name + "</a>") + "</th>" +
         cell(row.duration_s, duration(row.duration_s.value_or(0))) +
         cell(number(static_cast<double>(row.beats)), grouped(row.beats)) +
         cell(row.beats_a_minute, fixed(row.beats_a_minute.value_or(0), 0)) +
         cell(number(static_cast<double>(row.by_signal.good)), grouped(row.by_signal.good)) +
         cell(number(share), percent(share), " class=\"share\" style=\"--part:" + fixed(100 * share, 2) + "%\"") +
         cell(number(static_cast<double>(row.by_signal.poor)), grouped(row.by_signal.poor)) +
         cell(row.analysable_share, percent(row.analysable_share.value_or(0))) + "<td data-v=\"" + remark + "\">" +
         remark + "</td></tr>\n";
}

// Returns "5 recordings, 1 of them failed: 2 h 3 min, 3,854 beats, 131 of them abnormal."
std::string cohort_headline(const std::vector<CohortRow>& rows) {
  std::int64_t beats = 0, anomalous = 0, poor = 0, failed = 0;
  double duration_s = 0;
  for (const auto& row : rows) {
    beats += row.beats;
    anomalous += row.by_signal.good;
    poor += row.by_signal.poor;
    failed += !row.failure.empty();
    duration_s += row.duration_s.value_or(0);
  }
  return grouped(std::ssize(rows)) + " recordings" + (failed > 0 ? ", " + grouped(failed) + " of them failed" : "") +
         ": " + (duration_s > 0 ? duration(duration_s) + ", " : "") + grouped(beats) + " beats, " + grouped(anomalous) +
         " of them abnormal" +
         (poor > 0 ? " in good signal, and " + grouped(poor) + " in poor signal, which may be noise." : ".");
}

// Returns a CSV cell, quoted where it has to be.
std::string quoted_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

CohortRow cohort_row(const RunResult& result) {
  const AnomalyCounts counts = anomaly_counts(result);
  CohortRow row{.input = result.input.path.string(),
                .name = result.input.name,
                .beats_a_minute = median_heart_rate(result),
                .analysable_share = analysable_share(result),
                .beats = std::ssize(result.beats.found.r_peaks),
                .anomalous = result.scored.scores.anomalous_count,
                .anomalous_share = anomalous_share(result),
                .by_signal = {counts.good, counts.poor, counts.good_share()},
                .warnings = warnings_of(result)};
  if (result.input.sample_rate_hz)
    row.duration_s = static_cast<double>(result.input.samples) / *result.input.sample_rate_hz;
  if (result.rhythm) add_findings(row, findings_json(rhythm_beats(result), *result.rhythm));
  return row;
}

void add_findings(CohortRow& row, const Json& findings) {
  const auto number_at = [&](const char* pointer) {
    const Json::json_pointer place(pointer);
    return findings.contains(place) && findings[place].is_number() ? std::optional(findings[place].get<double>())
                                                                   : std::nullopt;
  };
  const auto count_at = [&](const char* pointer) {
    const auto value = number_at(pointer);
    return value ? std::optional(static_cast<std::int64_t>(*value)) : std::nullopt;
  };
  row.beats_v = count_at("/kinds/V");
  row.beats_s = count_at("/kinds/S");
  row.af_share = number_at("/af/share");
  row.longest_pause_s = number_at("/longest_pause_s");
}

std::string cohort_page(const std::vector<CohortRow>& rows, bool page_of_each) {
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
                     R"(<th scope="col">in poor signal</th>)" +
                     R"(<th scope="col">analysable</th><th scope="col" data-kind="text">remarks</th></tr></thead>
<tbody>
)";
  for (const auto& row : rows) html += html_row(row, page_of_each);
  return html + "</tbody></table></div>\n<p>The same rows: <a href=\"" + kCohortTable + "\">" + kCohortTable +
         "</a>. Heart rates are medians. Abnormal beats are those in good signal, with their share of the beats there; "
         "those in "
         "poor signal may be noise. Made by beatscan " +
         BEATSCAN_VERSION + ".</p>\n<script>" + kScript + "</script>\n</html>\n";
}

std::string cohort_csv(const std::vector<CohortRow>& rows) {
  std::string text =
      "recording,folder,failure,duration_s,beats,beats_a_minute,anomalous,anomalous_share,analysable_share,warnings,"
      "anomalous_in_good_signal,share_in_good_signal,beats_v,beats_s,af_share,longest_pause_s\n";
  const auto number = [](std::optional<double> value) { return value ? exact(*value) : std::string(); };
  const auto count = [](std::optional<std::int64_t> value) { return value ? std::to_string(*value) : std::string(); };
  for (const auto& row : rows) {
    const bool failed = !row.failure.empty();
    text += quoted_cell(row.input) + "," + (failed ? "" : quoted_cell(row.name)) + "," + quoted_cell(row.failure) +
            "," + number(row.duration_s) + "," + (failed ? "" : std::to_string(row.beats)) + "," +
            number(row.beats_a_minute) + "," + (failed ? "" : std::to_string(row.anomalous)) + "," +
            (failed ? "" : exact(row.anomalous_share)) + "," + number(row.analysable_share) + "," +
            quoted_cell(joined(row.warnings)) + "," + (failed ? "" : std::to_string(row.by_signal.good)) + "," +
            (failed ? "" : exact(row.by_signal.good_share)) + "," + count(row.beats_v) + "," + count(row.beats_s) +
            "," + number(row.af_share) + "," + number(row.longest_pause_s) + "\n";
  }
  return text;
}

void check_cohort_files(const std::filesystem::path& folder, std::size_t recordings, bool force) {
  const auto refuse = [&](const std::string& what) {
    fail(ErrorKind::output, folder.string(), what + ", which --force does not replace; give another --out");
  };
  std::error_code unknown;
  if (recordings == 1) {
    if (std::filesystem::exists(folder / kCohortTable, unknown)) refuse("holds a batch of results");
    return;
  }
  if (std::filesystem::exists(folder / "summary.json", unknown)) refuse("is the result of one recording");
  for (const char* name : {kCohortPage, kCohortTable}) check_writable(folder / name, force);
}

void write_cohort(const std::filesystem::path& folder, const std::vector<CohortRow>& rows) {
  const auto with_page = [&](const CohortRow& row) {
    return !row.failure.empty() || std::filesystem::exists(folder / row.name / "report.html");
  };
  write_durably(folder / kCohortTable, cohort_csv(rows));
  write_durably(folder / kCohortPage, cohort_page(rows, std::ranges::all_of(rows, with_page)));
}

}  // namespace beatscan
