#include "stages/io/recording/lead_units.h"

#include <algorithm>
#include <utility>

#include "stages/common/robust.h"

namespace beatscan {

std::optional<double> millivolts_of(std::string_view unit) {
  for (const auto& [known, millivolts] : {std::pair<std::string_view, double>{"mV", 1.0},
                                          {"mv", 1.0},
                                          {"uV", 1e-3},
                                          {"µV", 1e-3},
                                          {"μV", 1e-3},
                                          {"uv", 1e-3},
                                          {"V", 1e3}})
    if (unit == known) return millivolts;
  return std::nullopt;
}

std::vector<LeadScale> lead_scales(std::span<const LeadAmplitude> leads) {
  const auto is_unknown = [](const LeadAmplitude& lead) { return !millivolts_of(lead.unit) && lead.span > 0; };
  const auto fits = [](const LeadAmplitude& lead, double scale) {
    return lead.span * scale >= kLeastSpan_mv && lead.span * scale <= kMostSpan_mv;
  };
  std::vector<double> spans;
  for (const LeadAmplitude& lead : leads)
    if (is_unknown(lead)) spans.push_back(lead.span);
  const double shared = spans.empty() ? 1 : kUsualSpan_mv / quantile(spans, 0.5);
  const auto leads_that_fit = [&](double scale) {
    return std::ranges::count_if(leads, [&](const auto& lead) { return is_unknown(lead) && fits(lead, scale); });
  };
  const double assumed = leads_that_fit(shared) > leads_that_fit(1) ? shared : 1;
  std::vector<LeadScale> scales;
  for (const LeadAmplitude& lead : leads) {
    const auto known = millivolts_of(lead.unit);
    const double own = is_unknown(lead) && !fits(lead, assumed) ? kUsualSpan_mv / lead.span : assumed;
    scales.push_back({known.value_or(own), !known});
  }
  return scales;
}

}  // namespace beatscan
