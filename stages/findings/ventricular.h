// stages/findings/ventricular.h — tells by size, width, time and shape which beats are ventricular, and which are
// between ventricular and usual.
//
//   z    distance_weight min(d, most_distance) + energy_weight clip(log_energy, -1, 1.5)
//        + width_weight clip(log_width, -0.3, 0.6) + early_weight * share of its beats that come early
//        + late_weight clip((next_ratio - 1) / 0.4, 0, 1)
//   d    least distance from a usual template
// The first template is usual, whatever it is: a bundle branch block is usual in its own recording. The others are
// judged in the order of their size. A template is ventricular (V) if z > 1 and d > least_distance. For one that is
// very odd and wide, d > odd_distance is enough: the median of its beats' waveform scores is very_odd or more, and its
// log_width is odd_width or more. A narrow beat that comes early may be as odd, because it lies on a T wave. If a
// template is not V, and fewer than usual_early of its beats are early, and it has usual_share of all beats, it is
// usual as well. Then a template that is not V becomes V, and is usual no longer, if its distance from a V template is
// below sibling_distance and below a quarter of its distance from every other usual template.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace beatscan {

struct Facts;
struct FusionOptions;
struct VentricularOptions;

struct VentricularTemplates {
  std::vector<std::uint8_t> ventricular;  // [T]
  std::vector<std::int64_t> usual;        // templates, ascending; the first is 0
};

// Judges the T templates of B beats.
//   odd  [T] median waveform score of each template's beats; empty where it is not known
VentricularTemplates ventricular_templates(const Facts& facts, std::span<const float> odd, std::int64_t beats,
                                           const VentricularOptions& options);

// The facts of a beat that is judged alone.
struct AloneBeat {
  double log_energy, log_width;
  double from_usual;         // least distance from a usual template
  double ratio, next_ratio;  // see BeatTimesOf
};

// Says whether a beat is ventricular by itself:
//   distance_weight min(from_usual, most_distance) + energy_weight clip(log_energy, -1, 1.5)
//   + alone_width_weight clip(log_width, -0.3, 0.6) + early_weight clip((1 - ratio) / 0.24, 0, 1)
//   + alone_late_weight clip((next_ratio - 1) / 0.4, 0, 1) > alone_least, and from_usual > least_distance
// A ratio that is not known adds nothing.
bool is_ventricular_alone(const AloneBeat& beat, const VentricularOptions& options);

// Returns the score of the waveform that a beat needs to be ventricular: least_odd, or least_odd_in_noise for a beat on
// time in a noisy shape. A beat whose ratio is not known counts as on time.
double least_odd_of(double noise_of_shape, double ratio, const VentricularOptions& options);

// Returns which templates are of fusion beats, [T].
//   centres  [T][width]
std::vector<std::uint8_t> fusion_templates(const Facts& facts, const VentricularTemplates& judged,
                                           std::span<const std::int16_t> centres, std::int64_t width,
                                           const FusionOptions& options);

}  // namespace beatscan
