// app/report/sections/envelopes.h — draws each lead over the whole recording.
#pragma once

#include <string>

namespace beatscan {

struct StoredResult;

// Charts of the leads, one below the other: the first lead is the highest. Marks at the top of a lead show where it is
// poor. With several leads a wash lies where none is good.
struct Envelopes {
  std::string svg;
  bool cut = false;  // artefacts reach beyond an axis
};
Envelopes draw_envelopes(const StoredResult& result);

}  // namespace beatscan
