#include "stages/io/recording/leads.h"

#include <algorithm>

#include "kernels/csv/decimal.h"
#include "kernels/runtime/error.h"
#include "stages/common/counted.h"
#include "stages/common/nearest_name.h"
#include "stages/io/recording/lead_names.h"

namespace beatscan {
namespace {

// Returns the positions of the leads whose name passes. If one of them is in a voltage, those in other units are
// left out: an ECG is a voltage.
template <class Passes>
std::vector<std::size_t> leads_by_name(const std::vector<Lead>& leads, Passes passes) {
  std::vector<std::size_t> named;
  for (std::size_t i = 0; i < leads.size(); ++i)
    if (passes(leads[i].name)) named.push_back(i);
  if (std::ranges::any_of(named, [&](std::size_t i) { return is_voltage(leads[i].unit); }))
    std::erase_if(named, [&](std::size_t i) { return !leads[i].unit.empty() && !is_voltage(leads[i].unit); });
  return named;
}

// Returns the positions of the leads in a voltage, if they are few, of one unit, and have names that do not describe
// them: those of an exported ECG may be numbered. Otherwise returns none.
std::vector<std::size_t> unnamed_voltages(const std::vector<Lead>& leads) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < leads.size(); ++i)
    if (is_voltage(leads[i].unit)) found.push_back(i);
  const bool are_alike = std::ranges::all_of(
      found, [&](std::size_t i) { return says_nothing(leads[i].name) && leads[i].unit == leads[found.front()].unit; });
  return are_alike && found.size() <= kMostUnnamed ? found : std::vector<std::size_t>();
}

std::size_t most_likely_ecg(const std::vector<Lead>& leads) {
  if (const auto named = leads_by_name(leads, called_like_an_ecg); !named.empty()) return named.front();
  const auto voltage = std::ranges::find_if(leads, [](const Lead& lead) { return is_voltage(lead.unit); });
  return voltage != leads.end() ? static_cast<std::size_t>(voltage - leads.begin()) : 0;
}

}  // namespace

std::vector<std::size_t> ecg_leads(const std::vector<Lead>& leads) { return leads_by_name(leads, is_ecg_by_name); }

std::string hint_of_several(const std::string& name) {
  return name.find(',') == name.npos ? "" : "; --set ingest.leads=NAME,NAME reads several";
}

std::string taken_for_leads(const std::string& what, const std::vector<std::string>& names) {
  return "no " + what + " is named like an ECG: " + listed_names(names) +
         " are taken for its leads; --lead NAME reads one, --set ingest.leads=NAME,NAME some of them";
}

bool WantedLead::is_position() const {
  return !text.empty() && text.size() < 9 && std::ranges::all_of(text, decimal::is_digit);
}

std::size_t choose_lead(const std::vector<Lead>& leads, const WantedLead& wanted, const std::string& path) {
  if (leads.empty()) fail(ErrorKind::input, path, "has no signals");
  if (wanted.empty()) return most_likely_ecg(leads);
  std::vector<std::string> names;
  for (const auto& lead : leads) names.push_back(lead.name);
  const std::string& text = wanted.text;
  const auto found = static_cast<std::size_t>(std::ranges::find(names, text) - names.begin());
  if (!wanted.is_number && found < leads.size()) {
    if (std::ranges::count(names, text) > 1)
      fail(ErrorKind::input, path, "there are several leads '" + text + "'; choose one by position, counted from 0");
    return found;
  }
  if (wanted.is_position() && std::stoul(text) < leads.size()) return std::stoul(text);
  if (wanted.is_position() || wanted.is_number)
    fail(ErrorKind::input, path,
         "no lead at position " + text + ": there " + by_count(std::ssize(leads), "is ", "are ") +
             std::to_string(leads.size()) + ", counted from 0");
  const std::string nearest = nearest_name(text, names);
  fail(ErrorKind::input, path,
       "no lead '" + text + "'; the leads are " + listed_names(names) +
           (nearest.empty() ? "" : "; did you mean '" + nearest + "'?") + hint_of_several(text));
}

std::vector<std::size_t> choose_leads(const std::vector<Lead>& leads, const LeadChoice& choice,
                                      const std::string& path) {
  if (!choice.one.empty()) return {choose_lead(leads, choice.one, path)};
  std::vector<std::size_t> chosen;
  for (const auto& wanted : choice.several) {
    chosen.push_back(choose_lead(leads, wanted, path));
    if (std::ranges::count(chosen, chosen.back()) > 1)
      fail(ErrorKind::input, path, "lead '" + leads[chosen.back()].name + "' is asked for twice (ingest.leads)");
  }
  if (chosen.empty() && !choice.first_alone) chosen = ecg_leads(leads);
  if (chosen.empty() && !choice.first_alone && !std::ranges::any_of(leads, called_like_an_ecg, &Lead::name))
    chosen = unnamed_voltages(leads);
  if (chosen.empty()) chosen = {choose_lead(leads, "", path)};
  if (choice.first_alone) chosen.resize(1);
  if (chosen.size() > kMostLeads)
    fail(ErrorKind::input, path,
         std::to_string(chosen.size()) + " leads are named like an ECG; choose at most " + std::to_string(kMostLeads) +
             ": --set ingest.leads=NAME,NAME");
  return chosen;
}

void LeadsLeftOut::add(const std::string& what) {
  if (!choice_.is_automatic()) fail(ErrorKind::input, path_, what);
  if (first_.empty()) first_ = what;
  warnings_.push_back(what + "; it is left out");
}

std::vector<std::size_t> LeadsLeftOut::choose(const std::vector<Lead>& leads) {
  const auto chosen = choose_leads(leads, choice_, path_);
  const std::size_t first = chosen.front();
  if (choice_.is_automatic() && !choice_.first_alone) warn_of_other_ecgs(leads, chosen);
  if (!choice_.is_automatic() || choice_.first_alone || called_like_an_ecg(leads[first].name) ||
      is_ecg_by_name(leads[first].name))
    return chosen;
  if (chosen.size() > 1) {
    std::vector<std::string> names;
    for (const std::size_t i : chosen) names.push_back(leads[i].name);
    warnings_.push_back(taken_for_leads("lead", names));
    return chosen;
  }
  std::vector<std::string> others;
  for (std::size_t i = 0; i < leads.size(); ++i)
    if (i != first && is_voltage(leads[i].unit)) others.push_back(leads[i].name);
  if (names_another_signal(leads[first].name) || leads[first].unit == "mmHg")
    warnings_.push_back("no lead is named like an ECG: " + listed_names({leads[first].name}) +
                        " is read, which seems to be another signal" +
                        (others.empty() && leads.size() > 1 ? "; --lead NAME chooses another" : ""));
  if (!others.empty())
    warnings_.push_back("lead " + listed_names({leads[first].name}) + " is read, and not " + listed_names(others) +
                        "; --lead NAME chooses another, --set ingest.leads=NAME,NAME several");
  return chosen;
}

void LeadsLeftOut::warn_of_other_ecgs(const std::vector<Lead>& leads, const std::vector<std::size_t>& chosen) {
  std::vector<std::string> others;
  for (std::size_t i = 0; i < leads.size(); ++i)
    if (std::ranges::find(chosen, i) == chosen.end() && (is_ecg_by_name(leads[i].name) || mentions_ecg(leads[i].name)))
      others.push_back(leads[i].name);
  if (!others.empty())
    warnings_.push_back(by_count(std::ssize(others), "lead ", "leads ") + listed_names(others) +
                        by_count(std::ssize(others), " is", " are") +
                        " named like an ECG, too, and not read; --set ingest.leads=NAME,NAME chooses leads");
}

void LeadsLeftOut::check_left(std::size_t leads) const {
  if (leads == 0) fail(ErrorKind::input, path_, first_);
}

}  // namespace beatscan
