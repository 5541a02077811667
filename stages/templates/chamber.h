// stages/templates/chamber.h — the chamber of the heart that a pacemaker stimulates before the beats of a template.
#pragma once

#include <cstdint>

namespace beatscan {

enum class Chamber : std::uint8_t { none, atria, ventricles };

// Returns "atria" or "ventricles"; empty for none.
constexpr const char* name_of(Chamber chamber) {
  return chamber == Chamber::atria ? "atria" : chamber == Chamber::ventricles ? "ventricles" : "";
}

struct Pacing {
  Chamber chamber = Chamber::none;
  double place_s = 0;  // from the R peak to the impulse
};

}  // namespace beatscan
