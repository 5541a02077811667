// app/evaluation/wave_quality.h — compares the P, QRS and T waves of a result with annotated ones.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/evaluation/wave_truth.h"

namespace beatscan {

// A fiducial of a result.
struct FoundFiducial {
  std::int64_t time_us;
  std::int64_t beat;  // that it belongs to; of a P wave that is not conducted, the beat before
};

// The waves of a result: over leads, or of one lead.
struct FoundWaves {
  std::optional<std::string> lead = {};                 // nothing: over leads
  std::vector<std::int64_t> beats_us = {};              // R peaks, ascending
  PerFiducial<std::vector<FoundFiducial>> fiducials{};  // in any order
};

// How well one kind of fiducial agrees. Sums over recordings are those of the counts.
struct FiducialQuality {
  std::int64_t reference = 0, detected = 0, matched = 0;
  double sum_ms = 0, sum_of_squares = 0;  // of detected - reference, over those that match

  FiducialQuality& operator+=(const FiducialQuality& other);
  // A value does not exist if its denominator is 0.
  std::optional<double> sensitivity() const;  // matched / reference
  std::optional<double> ppv() const;          // matched / detected
  std::optional<double> f1() const;           // 2 matched / (reference + detected)
  std::optional<double> mean_ms() const;
  std::optional<double> sd_ms() const;  // with n - 1
};

struct WaveQuality {
  std::optional<std::string> lead = {};
  double tolerance_ms = 0;
  PerFiducial<std::optional<FiducialQuality>> fiducials{};  // nothing where the reference does not cover it
};

// Compares fiducials. Each is matched at most once, within the tolerance, as beats are (match_beats.h). One that is not
// matched counts as detected where the reference would have it:
//   - between its first and its last annotation
//   - of a beat that it has, too, because some references have the waves of some beats alone; all if it has no beats
//   - unless it has the wave there without this fiducial
WaveQuality compare_waves(const WaveTruth& truth, const FoundWaves& found, double tolerance_ms);

// Returns the warning that a result has no waves to compare with those of a truth file.
std::string no_waves_warning(const std::filesystem::path& truth);

// {"lead", "tolerance_ms", "p_onset": {"reference", "detected", "matched", "sensitivity", "ppv", "f1", "mean_ms",
// "sd_ms"}, …}. What does not exist is null.
nlohmann::ordered_json to_json(const WaveQuality& quality);
nlohmann::ordered_json to_json(const PerFiducial<std::optional<FiducialQuality>>& fiducials);

}  // namespace beatscan
