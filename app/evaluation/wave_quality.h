// app/evaluation/wave_quality.h — compares the P, QRS and T waves of a result with annotated ones.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/evaluation/wave_truth.h"

namespace beatscan {

// A fiducial of a result.
struct FoundFiducial {
  std::int64_t time_us;
  std::int64_t beat;  // its beat; for a non-conducted P wave, the preceding beat
};

// The waves of a result: over all leads, or of one lead.
struct FoundWaves {
  std::optional<std::string> lead = {};                 // nullopt: over all leads
  std::vector<std::int64_t> beats_us = {};              // R peaks, ascending
  PerFiducial<std::vector<FoundFiducial>> fiducials{};  // in any order
};

// How well one type of fiducial agrees. Over recordings, the counts are summed.
struct FiducialQuality {
  std::int64_t reference = 0, detected = 0, matched = 0;
  double sum_ms = 0, sum_of_squares = 0;  // of detected - reference, over matched ones

  FiducialQuality& operator+=(const FiducialQuality& other);
  // A value is nullopt if its denominator is 0.
  std::optional<double> sensitivity() const;  // matched / reference
  std::optional<double> ppv() const;          // matched / detected
  std::optional<double> f1() const;           // 2 matched / (reference + detected)
  std::optional<double> mean_ms() const;
  std::optional<double> sd_ms() const;  // with n - 1
};

struct WaveQuality {
  std::optional<std::string> lead = {};
  double tolerance_ms = 0;
  PerFiducial<std::optional<FiducialQuality>> fiducials{};  // nullopt if the reference does not cover it
};

// Compares fiducials. Each is matched at most once, within the tolerance, like beats (beat_quality.h). An unmatched one
// counts as detected only where the reference would annotate it:
//   - between the first and the last annotation
//   - at a beat of the reference, because some references annotate waves of some beats only; anywhere if it has no
//   beats
//   - unless it annotates the wave there without this fiducial
WaveQuality compare_waves(const WaveTruth& truth, const FoundWaves& found, double tolerance_ms);

// Returns the warning that a result has no waves to compare with those of a truth file.
std::string no_waves_warning(const std::filesystem::path& truth);

// {"lead", "tolerance_ms", "p_onset": {"reference", "detected", "matched", "sensitivity", "ppv", "f1", "mean_ms",
// "sd_ms"}, …}. Undefined values are null.
nlohmann::ordered_json to_json(const WaveQuality& quality);
nlohmann::ordered_json to_json(const PerFiducial<std::optional<FiducialQuality>>& fiducials);

// Reads the waves over all leads of beats.csv or beats.parquet, and the non-conducted P waves. Returns nullopt for a
// result without waves. Throws ErrorKind::input.
std::optional<FoundWaves> read_found_waves(const std::filesystem::path& folder, double sample_rate_hz);

// Adds non-conducted P waves, [N][2] samples of their onsets and ends. Their peaks are set to the middle.
void add_non_conducted(std::span<const std::int64_t> samples, double sample_rate_hz, FoundWaves& found);

// Reads the waves of one lead, by name or by position from 0, of waves.csv or waves.parquet. Throws ErrorKind::usage if
// the result has no such lead or no such file.
FoundWaves read_waves_of_lead(const std::filesystem::path& folder, const std::string& lead, double sample_rate_hz);

}  // namespace beatscan
