#include "app/report/paper/strip.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "app/common/numbers.h"
#include "app/report/stored/stored_result.h"

namespace beatscan {
namespace {

// Returns the height of a beat in a lead, or in the first lead of the same unit that has a median beat; 0 where there
// is none.
double beat_height(const StoredResult& result, std::int64_t lead) {
  std::span<const float> median = result.several_leads() ? std::span<const float>() : result.median(lead);
  for (std::int64_t other = 0; other < std::ssize(result.leads) && median.empty(); ++other)
    if (result.leads[other].unit == result.leads[lead].unit) median = result.median(other);
  if (median.empty()) return 0;
  const auto [least, greatest] = std::ranges::minmax(median);
  return greatest - least;
}

}  // namespace

PaperScale paper_scale(const StoredResult& result, std::int64_t lead) {
  PaperScale scale;
  if (result.rate_hz) scale.samples_per_second = *result.rate_hz;
  const std::string speed = result.rate_hz ? "25 mm/s, " : "250 samples as 25 mm, ";
  const std::string name = result.signal_unit(lead);
  for (const auto& [known, millivolts] : {std::pair{"mV", 1.0}, {"uV", 1e-3}, {"µV", 1e-3}, {"V", 1e3}})
    if (name == known) {
      scale.mm_per_unit = 10 * millivolts;
      scale.text = speed + "10 mm/mV";
      return scale;
    }
  const double beat = beat_height(result, lead);
  if (!(beat > 0) || (beat >= 0.05 && beat <= 20)) {
    scale.text = speed + "10 mm/mV (input unit taken as mV)";
    return scale;
  }
  double units = std::pow(10.0, std::floor(std::log10(beat / 1.5)));  // units of the input that are drawn as 10 mm
  for (const double factor : {5.0, 2.0})
    if (units * factor <= beat / 1.5 * 1.4) {
      units *= factor;
      break;
    }
  scale.mm_per_unit = 10 / units;
  scale.text = speed + "10 mm for " + significant(units, 3) + " of the input's unit, which is not known";
  return scale;
}

std::string paper_text(const StoredResult& result) {
  const std::string first = paper_scale(result).text;
  std::string all = result.several_leads() ? result.leads[0].name + ": " + first : first;
  bool alike = true;
  for (std::int64_t lead = 1; lead < std::ssize(result.leads); ++lead) {
    const std::string text = paper_scale(result, lead).text;
    all += "; " + result.leads[lead].name + ": " + text;
    alike &= text == first;
  }
  return alike ? first : all;
}

}  // namespace beatscan
