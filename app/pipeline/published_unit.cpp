#include "app/pipeline/published_unit.h"

#include "app/common/numbers.h"
#include "app/output/run_result.h"

namespace beatscan {
namespace {

constexpr double kWidestMillivolts = 50;  // an ECG with its baseline wander and its pacing spikes spans less

}  // namespace

std::string unit_uncertainty(const InputFacts& input, Method method) {
  if (method != Method::published) return "";
  const std::string unit = input.leads.empty() ? "" : input.leads.front().unit;
  const double range = double{input.range.max} - double{input.range.min};
  const bool is_known = !unit.empty() && unit != "NU";
  if (unit == "mV" || (!is_known && range <= kWidestMillivolts)) return "";
  return "the published method needs samples in mV, and these " +
         (is_known ? "are in " + unit
                   : "from " + significant(input.range.min, 4) + " to " + significant(input.range.max, 4) +
                         " look like uV or ADC steps") +
         "; convert them";
}

}  // namespace beatscan
