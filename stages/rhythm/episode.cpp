#include "stages/rhythm/episode.h"

#include <array>

namespace beatscan {

std::string_view name_of(EpisodeLabel label) {
  constexpr std::array<std::string_view, 19> kNames = {"AFIB",  "VT",  "IVR",   "V2",    "SVT", "B",   "T",
                                                       "PAUSE", "SBR", "STACH", "AFL",   "BI",  "NOD", "BRADY",
                                                       "VF",    "VFL", "ASYS",  "NOISE", "GAP"};
  return kNames[static_cast<std::size_t>(label)];
}

}  // namespace beatscan
