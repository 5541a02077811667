// app/evaluation/wave_truth.h — reference annotations of P, QRS and T waves, such as those of the QT Database and of
// LUDB.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "app/evaluation/annotations.h"

namespace beatscan {

enum class WaveType : int { p, qrs, t };

// Onsets, peaks and ends. The peak of a QRS complex is the beat itself.
enum class WaveFiducial : int { p_onset, p_peak, p_end, qrs_onset, qrs_end, t_peak, t_end };
inline constexpr std::array<std::string_view, 7> kWaveFiducialNames = {"p_onset", "p_peak", "p_end", "qrs_onset",
                                                                       "qrs_end", "t_peak", "t_end"};
template <class Value>
using PerFiducial = std::array<Value, kWaveFiducialNames.size()>;

// Returns the time of a sample.
std::int64_t microseconds_at(std::int64_t sample, double sample_rate_hz);

// An annotated wave. Times are in microseconds from the recording's start.
struct AnnotatedWave {
  WaveType type;
  std::optional<std::int64_t> onset_us;
  std::int64_t peak_us;
  std::optional<std::int64_t> end_us;
};

// The waves of a reference.
struct WaveTruth {
  std::vector<AnnotatedWave> waves;           // in the order of the file
  bool has_onsets = false, has_ends = false;  // of any wave
  std::int64_t first_us = 0, last_us = 0;     // the first and the last annotation of a wave

  // Returns whether the reference would annotate such a fiducial: if no wave has an onset or an end, it only has the
  // waves whose peaks it annotates.
  bool covers(WaveFiducial fiducial) const;
};

// Reads waves from annotations: onset `(`, peak `p`, a beat or `t`, end `)`. Onsets and ends are optional. If a wave
// has two peaks, the first one counts. U waves are skipped. Returns nullopt if there is no annotation of a wave other
// than beats.
std::optional<WaveTruth> wave_truth_of(std::span<const Annotation> annotations, double sample_rate_hz);

// Reads the waves of a WFDB annotation file; nullopt if it has none, and for a table of text.
std::optional<WaveTruth> read_wave_truth(const std::filesystem::path& path, const SignalClock& clock,
                                         double sample_rate_hz);

WaveType type_of(WaveFiducial fiducial);

// Returns the time of a fiducial of a wave; nullopt if the wave is of another type or has no such fiducial.
std::optional<std::int64_t> time_of(const AnnotatedWave& wave, WaveFiducial fiducial);

}  // namespace beatscan
