#include "app/output/files/csv_files.h"

#include <algorithm>

#include "app/output/result_facts.h"
#include "app/output/run_result.h"
#include "app/output/tables/csv_row.h"
#include "stages/quality/quality.h"

namespace beatscan {

std::string quality_csv(const RunResult& result) {
  std::string text = "from_s,to_s,quality,lead,time_of_day\n";
  const auto& leads = result.beats.lead_quality;  // none with method published
  for (std::int64_t l = 0; l < std::ssize(leads); ++l)
    for (const auto& stretch : poor_stretches(leads[l], result.input.samples)) {
      Row line(text);
      const double from_s = static_cast<double>(stretch.first) / *result.input.sample_rate_hz;
      line.seconds(from_s);
      line.seconds(static_cast<double>(stretch.last) / *result.input.sample_rate_hz);
      line.cell(name_of(stretch.kind)).number(l).cell(clock_at(result, from_s));
    }
  return text;
}

std::string generated_csv(const RunResult& result) {
  std::string text;
  {
    Row header(text);
    for (std::int64_t point = 0; point < result.beats.row_points; ++point)
      header.cell(std::string("p") += std::to_string(point));
  }
  for (std::size_t i = 0; i < result.model.training.generated.size();) {
    Row line(text);
    for (std::int64_t point = 0; point < result.beats.row_points; ++point)
      line.number(result.model.training.generated[i++]);
  }
  return text;
}

}  // namespace beatscan
