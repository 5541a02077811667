// app/output/files/waves_table.h — the table of waves, written as waves.csv and waves.parquet.
#pragma once

#include <cstdint>
#include <vector>

#include "app/output/tables/table.h"

namespace beatscan {

class OutputFolder;
struct Config;
struct RunResult;

// Makes the rows of a result with waves: one a beat and lead, by beat and then by lead. docs/output.md describes the
// columns. The metadata are those of the table of beats.
class WavesTable {
 public:
  WavesTable(const RunResult& result, const Config& config);

  std::int64_t beats() const;
  // Returns the rows of the beats first .. end - 1, so that a whole day of many leads need not be in memory.
  Table rows(std::int64_t first, std::int64_t end) const;

 private:
  const RunResult& result_;
  const Config& config_;
  std::vector<double> rr_s_;  // [beats] by which QT intervals are corrected
};

// Writes waves.csv and waves.parquet, as the form requests.
void write_waves(OutputFolder& folder, const RunResult& result, const Config& config, TableForm form);

}  // namespace beatscan
