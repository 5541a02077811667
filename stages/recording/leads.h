// stages/recording/leads.h — chooses the signals of an input that are read.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "stages/recording/lead.h"

namespace beatscan {

// More leads than a recording has: they bound the memory that a few bytes of a header can ask for.
inline constexpr std::size_t kMostLeads = 64;

// An ECG has so many leads at most. More signals without telling names are not taken for one.
inline constexpr std::size_t kMostUntold = 12;

// Says which leads are read.
struct LeadChoice {
  WantedLead one = {};                   // where given, this lead alone is read
  std::vector<WantedLead> several = {};  // these leads, in this order; empty: all that are ECG
  bool first_alone = false;              // of the leads to read, the first alone
  bool is_automatic() const { return one.empty() && several.empty(); }
};

// Returns the position of a lead. If `wanted` is empty, the lead is the first of these that there is:
//   1. the first lead with a name like that of an ECG lead; if one of these leads is in a voltage, the first that is
//      in a voltage or has no unit
//   2. the first lead in a unit of voltage
//   3. the first lead
// Throws ErrorKind::input naming the file `path`: there is no such lead, or there are several of that name.
std::size_t choose_lead(const std::vector<Lead>& leads, const WantedLead& wanted, const std::string& path);

// Returns how several leads are asked for, if a name that no lead has may be a list of names: "II,V5".
std::string hint_of_several(const std::string& name);

// Returns the warning that signals were taken for the leads of an ECG although no `what`, such as "column", is named
// like one.
std::string taken_for_leads(const std::string& what, const std::vector<std::string>& names);

// Returns the positions of all leads that are ECG by name, in their order. If one of them is in a voltage, those in
// another unit are left out; a lead without a unit stays.
std::vector<std::size_t> ecg_leads(const std::vector<Lead>& leads);

// Returns the positions of the leads that are read, in the order in which they are read; at least one. If no lead is
// ECG by name, they are all in a voltage where these are at most kMostUntold, of one unit, and their names say nothing,
// as those of "CH1" and "A"; otherwise it is the one of choose_lead. Throws as choose_lead does, where a lead is asked
// for twice, and where there are more than kMostLeads.
std::vector<std::size_t> choose_leads(const std::vector<Lead>& leads, const LeadChoice& choice,
                                      const std::string& path);

// Chooses leads, and leaves out those that cannot be read with the others. `what` says of one lead why.
class LeadsLeftOut {
 public:
  LeadsLeftOut(const LeadChoice& choice, std::string path) : choice_(choice), path_(std::move(path)) {}

  // Throws ErrorKind::input if the user asked for the lead.
  void add(const std::string& what);
  // Returns what choose_leads returns. Adds a warning if none of the names is that of an ECG, and the program chose
  // several leads, or one of several voltages, or one that seems to be another signal by its name or unit.
  std::vector<std::size_t> choose(const std::vector<Lead>& leads);
  // Throws ErrorKind::input with the first reason if no lead is left.
  void check_left(std::size_t leads) const;
  // Returns the warnings.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  const LeadChoice& choice_;
  const std::string path_;
  std::string first_;
  std::vector<std::string> warnings_;
};

}  // namespace beatscan
