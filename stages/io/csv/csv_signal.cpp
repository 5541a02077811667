#include "stages/io/csv/csv_signal.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "stages/common/nearest_name.h"
#include "stages/common/number_text.h"
#include "stages/io/csv/csv_header.h"
#include "stages/io/recording/recording.h"

namespace beatscan {

SignalInfo csv_signal(const CsvHeader& header) {
  const CsvMetadata& metadata = header.metadata;
  SignalInfo signal{
      .names = header.columns,
      .csv =
          CsvStyle{header.layout.delimiter, header.has_header, header.decimal_comma ? ',' : '.', header.table_line - 1,
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

void warn_of_missing_mark(const std::string& column, float smallest, SignalInfo& signal) {
  constexpr float kMark = -32768;
  const auto names_it = [](const std::string& warning) { return warning.find("-32768") != warning.npos; };
  if (smallest != kMark || std::ranges::any_of(signal.warnings, names_it)) return;
  signal.warnings.push_back("column " + listed_names({column}) +
                            " holds -32768, which stands for a missing sample in raw units of WFDB; --set "
                            "ingest.missing=-32768 takes such cells for missing");
}

}  // namespace beatscan
