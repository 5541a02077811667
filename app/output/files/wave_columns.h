// app/output/files/wave_columns.h — the common columns of beats.csv and waves.csv, and the rounding of their numbers.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "kernels/waves/beat_waves.h"

namespace beatscan {

struct RunResult;

// Onsets, peaks and ends in the order of the columns. Column names append "_s".
inline constexpr std::array kWaveTimes = {
    std::pair{"p_onset", waves::kPOnset},    std::pair{"p_peak", waves::kPPeak},
    std::pair{"p_end", waves::kPOffset},     std::pair{"qrs_onset", waves::kQrsOnset},
    std::pair{"qrs_end", waves::kQrsOffset}, std::pair{"t_peak", waves::kTPeak},
    std::pair{"t_end", waves::kTOffset}};

// Returns the time of a fiducial from the recording's start, s; nullopt for NaN.
//   values  relative to R, in units of 4 ms
std::optional<double> wave_time_s(const RunResult& result, std::int64_t beat, float values);

// Rounds intervals in ms, and amplitudes in mV. Adding 0 avoids -0.
inline float tenths(float ms) { return std::round(10 * ms) / 10 + 0.0F; }
inline float thousandths(float value) { return std::round(1000 * value) / 1000 + 0.0F; }

}  // namespace beatscan
