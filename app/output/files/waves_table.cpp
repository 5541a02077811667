#include "app/output/files/waves_table.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "app/config/config.h"
#include "app/output/files/beats_table.h"
#include "app/output/files/wave_columns.h"
#include "app/output/output_folder.h"
#include "app/output/run_result.h"
#include "app/output/tables/parquet.h"
#include "app/output/tables/table_csv.h"
#include "app/output/tables/table_maker.h"
#include "kernels/waves/amplitudes.h"
#include "kernels/waves/beat_waves.h"
#include "stages/waves/wave_intervals.h"
#include "stages/waves/waves.h"

namespace beatscan {
namespace {

// Makes the columns of the rows of some beats.
class WaveRows {
 public:
  WaveRows(const RunResult& result, QtCorrection correction, const std::vector<double>& rr_s, std::int64_t first,
           std::int64_t end)
      : result_(result),
        waves_(*result.waves),
        correction_(correction),
        rr_s_(rr_s),
        first_(first),
        leads_(std::ssize(waves_.leads)),
        make_((end - first) * leads_) {}

  Table take() {
    make_.integers("beat", "", [this](Index row) { return beat_of(row); });
    make_.integers("lead", "", [this](Index row) { return waves_.leads[row % leads_]; });
    for (const auto& [name, fiducial] : kWaveTimes)
      make_.seconds(std::string(name) + "_s", [this, fiducial = fiducial](Index row) {
        const float values =
            fiducial == waves::kTPeak ? waves_.lead_t_peak(row % leads_, beat_of(row)) : fiducials_of(row)[fiducial];
        return wave_time_s(result_, beat_of(row), values);
      });
    interval("pr_ms", [this](Index row) { return wave_intervals(fiducials_of(row)).pr; });
    interval("qrs_ms", [this](Index row) { return wave_intervals(fiducials_of(row)).qrs; });
    interval("qt_ms", [this](Index row) { return wave_intervals(fiducials_of(row)).qt; });
    interval("qtc_ms", [this](Index row) {
      const double qt_ms = wave_intervals(fiducials_of(row)).qt;
      return static_cast<float>(corrected_qt(qt_ms, rr_s_[beat_of(row)], correction_));
    });
    for (const auto& [name, amplitude] :
         {std::pair{"p_mv", waves::kPAmplitude}, {"st_mv", waves::kStLevel}, {"t_mv", waves::kTAmplitude}})
      make_.floats(name, "mV", [this, amplitude = amplitude](Index row) {
        return thousandths(waves_.lead_amplitudes[place_of(row) * waves::kAmplitudes + amplitude]);
      });
    Table table = make_.take();
    table.facts = table_facts(result_);
    return table;
  }

 private:
  using Index = std::int64_t;

  template <class Value>
  void interval(const char* name, Value value) {
    make_.floats(name, "ms", [value](Index row) { return tenths(value(row)); });
  }
  Index beat_of(Index row) const { return first_ + row / leads_; }
  // The index of a row in lists of [L][K].
  Index place_of(Index row) const { return row % leads_ * waves_.beats() + beat_of(row); }
  std::span<const float> fiducials_of(Index row) const {
    return std::span(waves_.lead_fiducials).subspan(place_of(row) * waves::kFiducials, waves::kFiducials);
  }

  const RunResult& result_;
  const BeatWaves& waves_;
  QtCorrection correction_;
  const std::vector<double>& rr_s_;
  Index first_, leads_;
  TableMaker make_;
};

// Returns the rows of some thousand beats at a time. `table` must outlive the returned function.
TableParts parts_of(const WavesTable& table) {
  constexpr std::int64_t kPartBeats = 8192;
  return [&table, part = Table(), first = std::int64_t{0}, is_begun = false]() mutable -> const Table* {
    if (std::exchange(is_begun, true) && first >= table.beats()) return nullptr;
    const std::int64_t end = std::min(first + kPartBeats, table.beats());
    part = table.rows(std::exchange(first, end), end);
    return &part;
  };
}

void write_waves_csv(OutputFolder& folder, const TableParts& parts) {
  folder.write_by("waves.csv", [&](const OutputFolder::Append& append) {
    bool has_header = false;
    while (const Table* part = parts()) {
      const auto texts = csv_parts(*part);  // the first of them is the header
      std::ranges::for_each(texts.begin() + std::exchange(has_header, true), texts.end(), append);
    }
  });
}

}  // namespace

WavesTable::WavesTable(const RunResult& result, const Config& config) : result_(result), config_(config) {
  if (beats() > 0)
    rr_s_ = local_rr_s(result.beats.found.r_peaks, result.beats.found.broken, *result.input.sample_rate_hz);
}

std::int64_t WavesTable::beats() const { return result_.waves->beats(); }

Table WavesTable::rows(std::int64_t first, std::int64_t end) const {
  return WaveRows(result_, config_.waves.qtc, rr_s_, first, end).take();
}

void write_waves(OutputFolder& folder, const RunResult& result, const Config& config, TableForm form) {
  const WavesTable table(result, config);
  if (wants_csv(form)) write_waves_csv(folder, parts_of(table));
  if (wants_parquet(form)) folder.write("waves.parquet", parquet_bytes(parts_of(table)));
}

}  // namespace beatscan
