// stages/detect/beat_list.h — beats before they are rows: where they are, and whether they can be trusted.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/detect/outcome.h"
#include "kernels/detect/quality_class.h"

namespace beatscan {

// The same beats on the host.
struct BeatList {
  std::vector<double> r_peaks;
  std::vector<Quality> quality;
  std::vector<Outcome> outcomes;
  std::vector<std::uint8_t> trusted, broken;
};

}  // namespace beatscan
