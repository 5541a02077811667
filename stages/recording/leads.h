// stages/recording/leads.h — chooses the signal of a WFDB record, an EDF or an ISHNE file that is read.
#pragma once

#include <string>
#include <vector>

namespace beatscan {

struct Lead {
  std::string name, unit;
};

// Returns the position of a lead. `wanted` is a name, or a position counted from 0. If it is empty, the lead is the
// first of these that there is:
//   1. the first lead with a name like that of an ECG lead
//   2. the first lead in a unit of voltage
//   3. the first lead
// Throws ErrorKind::input naming the file `path`: there is no such lead, or there are several of that name.
std::size_t choose_lead(const std::vector<Lead>& leads, const std::string& wanted, const std::string& path);

}  // namespace beatscan
