// app/evaluation/truth_fit.h — detects a truth that does not belong to the beats that it is compared with, or covers
// only a part of them.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace beatscan {

struct DetectedBeat;
struct DetectionQuality;
struct ReferenceBeat;

// Warns in three cases:
//   - a tenth of the detected beats or more lie before the first reference beat or after the last one
//   - fewer than half of the beats match, and one constant delay of up to a second would match most
//   - fewer than half of the reference beats match otherwise
// Both inputs ascend. `path` names the truth.
std::vector<std::string> fit_warnings(std::span<const ReferenceBeat> reference, std::span<const DetectedBeat> detected,
                                      const DetectionQuality& quality, double sample_rate_hz,
                                      const std::filesystem::path& path);

}  // namespace beatscan
