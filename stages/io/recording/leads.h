// stages/io/recording/leads.h — chooses the signals of an input that are read.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "stages/io/recording/lead.h"

namespace beatscan {

// More leads than any recording has: this bounds the memory that a few bytes of a header can request.
inline constexpr std::size_t kMostLeads = 64;

// An ECG has at most this many leads. More signals without descriptive names are not taken for one.
inline constexpr std::size_t kMostUnnamed = 12;

// Which leads are read.
struct LeadChoice {
  WantedLead one = {};                   // if given, this lead alone is read
  std::vector<WantedLead> several = {};  // these leads, in this order; empty: all that are ECG
  bool first_alone = false;              // of the leads to read only the first
  bool is_automatic() const { return one.empty() && several.empty(); }
};

// Returns the position of a lead. If `wanted` is empty, the lead is the first of these that exists:
//   1. the first lead with a name like that of an ECG lead; if one of these leads is in a voltage, the first that is
//      in a voltage or has no unit
//   2. the first lead in a unit of voltage
//   3. the first lead
// Throws ErrorKind::input naming the file `path`: there is no such lead, or there are several of that name.
std::size_t choose_lead(const std::vector<Lead>& leads, const WantedLead& wanted, const std::string& path);

// Returns how to request several leads, if a name that no lead has may be a list of names: "II,V5".
std::string hint_of_several(const std::string& name);

// Returns the warning that signals were taken for the leads of an ECG although no `what`, such as "column", is named
// like one.
std::string taken_for_leads(const std::string& what, const std::vector<std::string>& names);

// Returns the positions of all leads that are ECG by name, in their order. If one of them is in a voltage, those in
// another unit are left out; a lead without a unit stays.
std::vector<std::size_t> ecg_leads(const std::vector<Lead>& leads);

// Returns the positions of the leads that are read, in the order in which they are read; at least one. If no lead is
// ECG by name, these are all leads in a voltage, provided that there are at most kMostUnnamed, of one unit, and with
// names that do not describe them, such as "CH1" and "A". Otherwise it is the lead of choose_lead. Throws as
// choose_lead does, if a lead is requested twice, and if there are more than kMostLeads.
std::vector<std::size_t> choose_leads(const std::vector<Lead>& leads, const LeadChoice& choice,
                                      const std::string& path);

// Chooses leads, and leaves out those that cannot be read with the others. `what` is the reason for one lead.
class LeadsLeftOut {
 public:
  LeadsLeftOut(const LeadChoice& choice, std::string path) : choice_(choice), path_(std::move(path)) {}

  // Throws ErrorKind::input if the user requested the lead.
  void add(const std::string& what);
  // Returns what choose_leads returns. Adds a warning if none of the names is that of an ECG, and the program chose
  // several leads, or one of several voltages, or one that seems to be another signal by its name or unit. Adds one
  // that names leads like an ECG that are not among them.
  std::vector<std::size_t> choose(const std::vector<Lead>& leads);
  // Throws ErrorKind::input with the first reason if no lead is left.
  void check_left(std::size_t leads) const;
  // Returns the warnings.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  void warn_of_other_ecgs(const std::vector<Lead>& leads, const std::vector<std::size_t>& chosen);

  const LeadChoice& choice_;
  const std::string path_;
  std::string first_;
  std::vector<std::string> warnings_;
};

}  // namespace beatscan
