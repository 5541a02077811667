// stages/io/recording/lead.h — a lead of a recording, and a lead that the user names.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace beatscan {

struct Lead {
  std::string name, unit;
};

// A lead or a column that is requested. A number is a position counted from 0. Text is a name; if nothing has that
// name, text of digits is a position, too.
struct WantedLead {
  std::string text = {};
  bool is_number = false;

  WantedLead() = default;
  WantedLead(std::string name) : text(std::move(name)) {}
  WantedLead(const char* name) : text(name) {}
  static WantedLead at(std::int64_t position) {
    WantedLead wanted(std::to_string(position));
    wanted.is_number = true;
    return wanted;
  }
  bool empty() const { return text.empty(); }
  // Returns whether it may be a position: digits, and few enough to be one.
  bool is_position() const;
  friend bool operator==(const WantedLead&, const WantedLead&) = default;
};

}  // namespace beatscan
