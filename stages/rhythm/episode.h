// stages/rhythm/episode.h — a stretch of a recording that has a name: a rhythm, a pause, noise.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/detect/quality_class.h"
#include "stages/templates/beat_class.h"

namespace beatscan {

enum class EpisodeLabel : std::uint8_t {
  atrial_fibrillation,           // AFIB
  ventricular_tachycardia,       // VT: three or more V in a row, above the rate of VT
  idioventricular_rhythm,        // IVR: the same, not above it
  ventricular_couplet,           // V2: exactly two V in a row
  supraventricular_tachycardia,  // SVT: three or more S in a row
  bigeminy,                      // B
  trigeminy,                     // T
  pause,                         // PAUSE
  bradycardia,                   // SBR
  tachycardia,                   // STACH
  atrial_flutter,                // AFL
  wenckebach,                    // BI: second-degree AV block, Mobitz I
  junctional_rhythm,             // NOD
  sudden_bradycardia,            // BRADY
  ventricular_fibrillation,      // VF
  ventricular_flutter,           // VFL
  asystole,                      // ASYS
  noise,                         // NOISE
  gap,                           // GAP
};

// Returns the label as `episodes.csv` has it, such as "AFIB".
std::string_view name_of(EpisodeLabel label);

struct Episode {
  double start = 0, end = 0;  // samples, from start to end
  EpisodeLabel label = EpisodeLabel::noise;
  std::int64_t beats = 0;           // R peaks from start to end, both included
  double confidence = 1;            // 0 to 1
  Quality quality = Quality::good;  // the worst signal that the rule relied on
};

// The least certainty of a silent interval that counts as a pause. An interval below it is treated as if an electrode
// were off: its length alone does not make a beat abnormal.
inline constexpr float kCertainPause = 0.5F;

// The beats that rules of rhythm look at. They need no signal.
struct RhythmBeats {
  std::span<const double> r_peaks;          // [K] samples, ascending
  std::span<const BeatClass> beat_classes;  // [K]
  std::span<const Quality> quality;         // [K]
  std::span<const std::uint8_t> broken;     // [K - 1] 1 where the interval is not known
  double sample_rate_hz = 0;
  std::span<const std::uint8_t> paced = {};  // [K] 1 where the ventricles are paced; empty: nowhere
  std::span<const float> posteriors = {};    // [K][4] of the beat classes (beat_class.h); empty: not known
};

// Episodes and silent intervals, as the signal shows them.
struct SignalEvidence {
  std::vector<Episode> episodes;     // VF, VFL, NOISE and GAP, in order of time
  std::vector<std::uint8_t> silent;  // [K - 1] 1 where the interval holds no sign of a beat and no noise that hides one
  // [K - 1] how certain it is that the heart pauses in a silent interval, from 0 to 1; empty: 1 everywhere
  std::vector<float> certain = {};
  // the same certainty before the first beat and after the last one; 0 where it is not silent there, or not for long
  float certain_start = 0, certain_end = 0;

  float certainty_of(std::int64_t interval) const { return certain.empty() ? 1 : certain[interval]; }
};

}  // namespace beatscan
