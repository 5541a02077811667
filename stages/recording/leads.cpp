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

}  // namespace

std::size_t choose_lead(const std::vector<Lead>& leads, const std::string& wanted, const std::string& path) {
  const auto fail = [&](const std::string& what) { throw Error(ErrorKind::input, path + ": " + what); };
  if (leads.empty()) fail("has no signals");
  std::vector<std::string> names;
  for (const auto& lead : leads) names.push_back(lead.name);
  const auto position_of = [&](auto&& fits) {
    return static_cast<std::size_t>(std::ranges::find_if(leads, fits) - leads.begin());
  };
  if (!wanted.empty()) {
    if (const auto found = position_of([&](const Lead& lead) { return lead.name == wanted; }); found < leads.size()) {
      if (std::ranges::count(names, wanted) > 1)
        fail("there are several leads '" + wanted + "'; choose one by position, counted from 0");
      return found;
    }
    const bool is_position = wanted.size() < 9 && std::ranges::all_of(wanted, decimal::is_digit);
    if (is_position && std::stoul(wanted) < leads.size()) return std::stoul(wanted);
    if (is_position)
      fail("no lead at position " + wanted + ": there are " + std::to_string(leads.size()) + ", counted from 0");
    const std::string nearest = nearest_name(wanted, names);
    fail("no lead '" + wanted + "'; the leads are " + listed_names(names) +
         (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
  }
  if (const auto ecg = position_of([](const Lead& lead) { return called_like_an_ecg(lead.name); }); ecg < leads.size())
    return ecg;
  const auto voltage = position_of([](const Lead& lead) { return is_voltage(lead.unit); });
  return voltage < leads.size() ? voltage : 0;
}

}  // namespace beatscan
