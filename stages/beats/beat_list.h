// stages/beats/beat_list.h — beats before they are rows: where they are, and whether they can be trusted.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/beats/fate.h"
#include "kernels/beats/quality_class.h"

namespace beatscan {

// The same beats on the host.
struct BeatList {
  std::vector<double> r_peaks;
  std::vector<Quality> quality;
  std::vector<Fate> fates;
  std::vector<std::uint8_t> trusted, broken;
};

}  // namespace beatscan
