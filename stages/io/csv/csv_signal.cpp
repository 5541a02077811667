#include "stages/io/csv/csv_signal.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "stages/common/nearest_name.h"
#include "stages/common/number_text.h"
#include "stages/io/csv/csv_header.h"
#include "stages/io/csv/csv_lines.h"
#include "stages/io/recording/input_file.h"
#include "stages/io/recording/recording.h"

namespace beatscan {

SignalInfo csv_signal(const CsvHeader& header) {
  const CsvMetadata& metadata = header.metadata;
  SignalInfo signal{
      .names = header.columns,
      .csv = CsvStyle{
          header.edits.blanks ? ' ' : header.layout.delimiter, header.has_header,
          header.edits.decimal_commas || header.edits.commas_in_quotes || header.edits.commas_in_pairs ? ',' : '.',
          header.table_line - 1,
          header.time_column < 0 ? std::nullopt : std::optional(header.columns[header.time_column])}};
  std::vector<Lead> leads;
  for (const int column : header.leads) {
    const std::string& unit = header.units[column];
    leads.push_back({header.columns[column], unit.empty() ? metadata.unit : unit});
  }
  set_leads(signal, std::move(leads));
  signal.start = metadata.start;
  signal.metadata = metadata.taken;
  if (metadata.sample_rate_hz) {
    signal.sample_rate_hz = metadata.sample_rate_hz;
    signal.rate_origin = RateOrigin::metadata;
  }
  signal.warnings = metadata.warnings;
  signal.warnings.insert(signal.warnings.end(), header.warnings.begin(), header.warnings.end());
  return signal;
}

void warn_of_two_rates(const CsvMetadata& metadata, SignalInfo& signal) {
  if (signal.rate_origin != RateOrigin::time_column || !metadata.sample_rate_hz ||
      std::abs(*metadata.sample_rate_hz / *signal.sample_rate_hz - 1) <= kSameRate)
    return;
  signal.warnings.push_back("line " + std::to_string(metadata.rate_line) + " gives " +
                            number_text(*metadata.sample_rate_hz, 7) + " Hz and the time column " +
                            number_text(*signal.sample_rate_hz, 7) + " Hz; the time column is used");
}

void warn_of_a_cut(const InputFile& file, const CsvHeader& header, SignalInfo& signal) {
  constexpr std::int64_t kTail = 4096;
  std::string tail = file.bytes(std::max(header.data_offset, file.size() - kTail), kTail);
  const auto before = tail.rfind('\n');
  if (tail.ends_with('\n') || before == tail.npos) return;
  std::string row = tail.substr(before + 1);
  if (header.edits.any()) header.edits(row);
  const auto cells = cells_of(row, header.layout.delimiter);
  const auto last = std::ssize(cells) - 1;
  for (std::size_t i = 0; i < header.leads.size(); ++i) {
    if (header.leads[i] != last || header.decimals[i] < 1) continue;
    const auto point = cells.back().find('.');
    const auto decimals =
        point == std::string::npos ? 0 : std::ssize(cells.back()) - static_cast<std::int64_t>(point) - 1;
    if (decimals < header.decimals[i])
      signal.warnings.push_back("the file ends within a line, and its last number, '" + cells.back() +
                                "', has fewer decimals than the others: it may be cut off; copy the file again, or "
                                "remove its last line");
  }
}

void warn_of_missing_mark(const std::string& column, float smallest, SignalInfo& signal) {
  constexpr float kMark = -32768;
  const auto names_it = [](const std::string& warning) { return warning.find("-32768") != warning.npos; };
  if (smallest != kMark || std::ranges::any_of(signal.warnings, names_it)) return;
  signal.warnings.push_back("column " + listed_names({column}) +
                            " holds -32768, which stands for a missing sample in raw units of WFDB; --set "
                            "ingest.missing=-32768 takes such cells for missing");
}

}  // namespace beatscan
