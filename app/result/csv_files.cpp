#include "app/result/csv_files.h"

#include <algorithm>

#include "app/result/beats_table.h"
#include "app/result/summary_text.h"
#include "app/tables/csv_row.h"
#include "app/tables/table_csv.h"

namespace beatscan {

std::optional<double> interval_s(const RunResult& result, std::int64_t beat) {
  const auto& r_peaks = result.beats.found.r_peaks;
  if (beat < 0 || beat + 1 >= std::ssize(r_peaks) || !result.input.sample_rate_hz) return std::nullopt;
  if (result.beats.found.broken[beat]) return std::nullopt;  // there may be unseen beats between the two
  return static_cast<double>(nearest_sample(r_peaks[beat + 1]) - nearest_sample(r_peaks[beat])) /
         *result.input.sample_rate_hz;
}

std::optional<std::int64_t> longest_interval(const RunResult& result) {
  const auto& found = result.beats.found;
  std::optional<std::int64_t> longest;
  const auto length = [&](std::int64_t beat) { return found.r_peaks[beat + 1] - found.r_peaks[beat]; };
  for (std::int64_t beat = 0; beat + 1 < std::ssize(found.r_peaks); ++beat)
    if (!found.broken[beat] && (!longest || length(beat) > length(*longest))) longest = beat;
  return longest;
}

int latents_of(const RunResult& result) {
  return static_cast<int>(result.scored.rows.latents.size() / std::max<std::size_t>(result.scored.rows.kl.size(), 1));
}

std::string beats_csv(const RunResult& result) { return csv_text(beats_table(result)); }

std::string quality_csv(const RunResult& result) {
  std::string text = "from_s,to_s,quality,lead,time_of_day\n";
  const auto& leads = result.beats.lead_quality;  // none as published
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

std::string clock_at(const RunResult& result, double seconds) {
  return result.input.signal.start ? time_of_day(*result.input.signal.start, seconds) : "";
}

const char* name_of(Quality quality) {
  switch (quality) {
    case Quality::good:
      return "good";
    case Quality::flat:
      return "flat";
    case Quality::clipped:
      return "clipped";
    case Quality::noisy:
      return "noisy";
    case Quality::missing:
      return "missing";
  }
  return "";
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
