// app/output/beats_table.h — beats.csv and waves.csv as tables.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/output/tables/table.h"
#include "kernels/waves/beat_waves.h"

namespace beatscan {

class OutputFolder;
struct Config;
struct RunResult;

// Onsets, peaks and ends in the order of the columns. Column names append "_s".
inline constexpr std::array kWaveTimes = {
    std::pair{"p_onset", waves::kPOnset},    std::pair{"p_peak", waves::kPPeak},
    std::pair{"p_end", waves::kPOffset},     std::pair{"qrs_onset", waves::kQrsOnset},
    std::pair{"qrs_end", waves::kQrsOffset}, std::pair{"t_peak", waves::kTPeak},
    std::pair{"t_end", waves::kTOffset}};

// Returns the time of a fiducial from the recording's start, s; nullopt for NaN.
//   values  relative to R, in units of 4 ms
std::optional<double> wave_time_s(const RunResult& result, std::int64_t beat, float values);

// Rounds intervals in ms, and amplitudes in mV. Adding 0 avoids -0.
inline float tenths(float ms) { return std::round(10 * ms) / 10 + 0.0F; }
inline float thousandths(float value) { return std::round(1000 * value) / 1000 + 0.0F; }

// Returns one row a candidate beat, in time order; docs/output.md describes the columns.
Table beats_table(const RunResult& result);

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
