// stages/recording/leads.h — which signal of a record or an EDF file is read.
#pragma once

#include <string>
#include <vector>

namespace beatscan {

struct Lead {
  std::string name, unit;
};

// wanted  a name, or a position from 0; empty: the first that is called like an ECG lead, else the first that is a
//         voltage, else the first
// `path` names the file in errors (ErrorKind::input): no such lead, or several of this name.
std::size_t choose_lead(const std::vector<Lead>& leads, const std::string& wanted, const std::string& path);

}  // namespace beatscan
