// app/evaluation/found_waves.h — the P, QRS and T waves of a stored result, for comparison with annotated waves.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "app/evaluation/wave_quality.h"

namespace beatscan {

// Reads the waves over all leads of beats.csv or beats.parquet, and the non-conducted P waves. Returns nullopt for a
// result without waves. Throws ErrorKind::input.
std::optional<FoundWaves> read_found_waves(const std::filesystem::path& folder, double sample_rate_hz);

// Adds non-conducted P waves, [N][2] samples of their onsets and ends. Their peaks are set to the middle.
void add_non_conducted(std::span<const std::int64_t> samples, double sample_rate_hz, FoundWaves& found);

// Reads the waves of one lead, by name or by position from 0, of waves.csv or waves.parquet. Throws ErrorKind::usage if
// the result has no such lead or no such file.
FoundWaves read_waves_of_lead(const std::filesystem::path& folder, const std::string& lead, double sample_rate_hz);

}  // namespace beatscan
