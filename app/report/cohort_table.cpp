#include "app/report/cohort_table.h"

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "app/common/build_info.h"
#include "app/output/findings_json.h"
#include "app/output/tables/table.h"
#include "app/output/tables/table_csv.h"
#include "app/report/cohort_row.h"

namespace beatscan {
namespace {

const char* unit_name(FindingUnit unit) {
  switch (unit) {
    case FindingUnit::seconds:
    case FindingUnit::time:
      return "s";
    case FindingUnit::milliseconds:
      return "ms";
    case FindingUnit::percent:
      return "%";
    case FindingUnit::ms2:
      return "ms2";
    case FindingUnit::per_hour:
      return "1/h";
    case FindingUnit::bpm:
      return "1/min";
    default:
      return "";  // a number or a share
  }
}

// Makes the columns. A recording that is not complete has names alone.
class CohortColumns {
 public:
  explicit CohortColumns(const std::vector<CohortRow>& rows) : rows_(rows), make_(std::ssize(rows)) {}

  Table take() {
    make_.texts("recording", [&](auto i) { return rows_[i].input.empty() ? rows_[i].name : rows_[i].input; });
    make_.texts("folder", [&](auto i) { return place(i); });
    make_.texts("failure", [&](auto i) { return rows_[i].failure; });
    make_.doubles("duration_s", "s", [&](auto i) { return rows_[i].duration_s; });
    count("beats", [](const CohortRow& row) { return row.beats; });
    make_.doubles("beats_a_minute", "1/min", [&](auto i) { return rows_[i].beats_a_minute; });
    count("anomalous", [](const CohortRow& row) { return row.anomalous; });
    share("anomalous_share", [](const CohortRow& row) { return row.anomalous_share; });
    make_.doubles("analysable_share", "", [&](auto i) { return rows_[i].analysable_share; });
    make_.texts("advisories", [&](auto i) { return joined_advisories(rows_[i]); });
    count("anomalous_in_good_signal", [](const CohortRow& row) { return row.by_signal.good; });
    share("share_in_good_signal", [](const CohortRow& row) { return row.by_signal.good_share; });
    add_findings(false);
    make_.doubles("drift", "", [&](auto i) { return rows_[i].drift; });
    make_.texts("state", [&](auto i) {
      return std::string(name_of(rows_[i].failure.empty() ? rows_[i].state : RecordingState::failed));
    });
    for (std::size_t i = 0; i < wave_columns().size(); ++i)
      add_finding(wave_columns()[i], [this, i](std::int64_t row) { return wave_value_of(rows_[row], i); });
    add_findings(true);
    Table table = make_.take();
    table.facts = {{"beatscan_version", BEATSCAN_VERSION}};
    return table;
  }

 private:
  bool failed(std::int64_t i) const { return !rows_[i].failure.empty() || rows_[i].state != RecordingState::complete; }
  std::string place(std::int64_t i) const {
    return failed(i) ? "" : rows_[i].folder.empty() ? rows_[i].name : rows_[i].folder;
  }
  template <class Value>
  void count(const char* name, Value value) {
    make_.integers(name, "",
                   [this, value](std::int64_t i) { return failed(i) ? std::nullopt : std::optional(value(rows_[i])); });
  }
  template <class Value>
  void share(const char* name, Value value) {
    make_.doubles(name, "",
                  [this, value](std::int64_t i) { return failed(i) ? std::nullopt : std::optional(value(rows_[i])); });
  }

  void add_findings(bool behind_waves) {
    for (std::size_t i = 0; i < finding_columns().size(); ++i)
      if (finding_columns()[i].behind_waves == behind_waves)
        add_finding(finding_columns()[i], [this, i](std::int64_t row) { return finding_of(rows_[row], i); });
  }
  template <class Value>
  void add_finding(const FindingColumn& facts, Value value) {
    if (facts.unit == FindingUnit::count)
      make_.integers(facts.name, "", [value](std::int64_t i) {
        const auto count = value(i);
        return count ? std::optional(std::llround(*count)) : std::nullopt;
      });
    else
      make_.doubles(facts.name, unit_name(facts.unit), value);
  }

  const std::vector<CohortRow>& rows_;
  TableMaker make_;
};

}  // namespace

Table cohort_table(const std::vector<CohortRow>& rows) { return CohortColumns(rows).take(); }

std::string failures_csv(const std::vector<CohortRow>& rows) {
  std::vector<CohortRow> failed;
  for (const auto& row : rows)
    if (!row.failure.empty()) failed.push_back(row);
  TableMaker make(std::ssize(failed));
  make.texts("input", [&](auto i) { return failed[i].input; });
  make.texts("name", [&](auto i) { return failed[i].name; });
  make.integers("status", "", [&](auto i) { return std::optional(std::int64_t{failed[i].failure_status}); });
  make.texts("message", [&](auto i) { return failed[i].failure; });
  return csv_text(make.take());
}

std::string cohort_csv(const std::vector<CohortRow>& rows) { return csv_text(cohort_table(rows)); }

}  // namespace beatscan
