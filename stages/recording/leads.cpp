#include "stages/recording/leads.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "kernels/csv/decimal.h"
#include "kernels/runtime/error.h"
#include "stages/common/nearest_name.h"

namespace beatscan {
namespace {

bool called_like_an_ecg(std::string name) {
  std::ranges::transform(name, name.begin(), decimal::lower);
  if (name.find("ecg") != name.npos || name.find("ekg") != name.npos) return true;
  for (const std::string_view prefix : {"lead ", "lead_", "lead"})
    if (name.starts_with(prefix)) {
      name.erase(0, prefix.size());
      break;
    }
  static constexpr std::array kLeads = {"i",    "ii",  "iii",  "avr",   "avl", "avf", "v",   "v1",  "v2",
                                        "v3",   "v4",  "v5",   "v6",    "v7",  "v8",  "v9",  "vx",  "vy",
                                        "vz",   "mli", "mlii", "mliii", "ml1", "ml2", "ml3", "mcl", "mcl1",
                                        "mcl6", "cm5", "cc5",  "cm2",   "d1",  "d2",  "d3"};
  return std::ranges::find(kLeads, name) != kLeads.end();
}

bool is_voltage(const std::string& unit) {
  static constexpr std::array kUnits = {"V", "mV", "uV", "\xc2\xb5V", "\xce\xbcV", "\xb5V", "nV", "mv", "uv"};  // µ, μ
  return std::ranges::find(kUnits, unit) != kUnits.end();
}

std::size_t most_likely_ecg(const std::vector<Lead>& leads) {
  const auto named = std::ranges::find_if(leads, [](const Lead& lead) { return called_like_an_ecg(lead.name); });
  if (named != leads.end()) return static_cast<std::size_t>(named - leads.begin());
  const auto voltage = std::ranges::find_if(leads, [](const Lead& lead) { return is_voltage(lead.unit); });
  return voltage != leads.end() ? static_cast<std::size_t>(voltage - leads.begin()) : 0;
}

}  // namespace

std::size_t choose_lead(const std::vector<Lead>& leads, const std::string& wanted, const std::string& path) {
  if (leads.empty()) fail(ErrorKind::input, path, "has no signals");
  if (wanted.empty()) return most_likely_ecg(leads);
  std::vector<std::string> names;
  for (const auto& lead : leads) names.push_back(lead.name);
  const auto found = static_cast<std::size_t>(std::ranges::find(names, wanted) - names.begin());
  if (found < leads.size()) {
    if (std::ranges::count(names, wanted) > 1)
      fail(ErrorKind::input, path, "there are several leads '" + wanted + "'; choose one by position, counted from 0");
    return found;
  }
  const bool is_position = wanted.size() < 9 && std::ranges::all_of(wanted, decimal::is_digit);
  if (is_position && std::stoul(wanted) < leads.size()) return std::stoul(wanted);
  if (is_position)
    fail(ErrorKind::input, path,
         "no lead at position " + wanted + ": there are " + std::to_string(leads.size()) + ", counted from 0");
  const std::string nearest = nearest_name(wanted, names);
  fail(ErrorKind::input, path,
       "no lead '" + wanted + "'; the leads are " + listed_names(names) +
           (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
}

}  // namespace beatscan
