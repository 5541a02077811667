#include "app/output/files/wave_columns.h"

#include "app/output/run_result.h"

namespace beatscan {

std::optional<double> wave_time_s(const RunResult& result, std::int64_t beat, float values) {
  if (std::isnan(values)) return std::nullopt;
  return result.beats.found.r_peaks[beat] / *result.input.sample_rate_hz + double{values} / waves::kValuesHz;
}

}  // namespace beatscan
