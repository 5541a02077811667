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
#include <vector>

#include "stages/findings/template_facts.h"

namespace beatscan {

// The defaults were chosen on 22 records of the MIT-BIH Arrhythmia Database (DS1 of de Chazal et al. 2004) and 39 of
// the MIT-BIH Supraventricular Arrhythmia Database by their annotations.
struct VentricularOptions {
  double distance_weight = 0.5, most_distance = 1;
  double energy_weight = 0.4, width_weight = 1.5, early_weight = 0.9;
  double late_weight = 0.25;  // weight of a pause behind its beats
  double least_distance = 0.3, odd_distance = 0.15, very_odd = 4.5, odd_width = 0.2;
  double usual_early = 0.5, usual_share = 0.02;
  double sibling_distance = 0.25;
  double early_ratio = 0.88;    // RR interval / usual of a beat that counts as early
  double alone_distance = 0.5;  // a beat farther from its template is judged alone
  double alone_width_weight = 0.3;
  double alone_late_weight = 0.3;  // weight of a pause after the beat
  double alone_least = 1.3;        // z of a beat that is judged alone
  double not_told = 5;             // a beat farther from its template is of unknown kind
  double least_odd = 1.5;          // a beat whose waveform's score is lower is not V, see KindBeats::odd
  // A beat on time, by early_ratio, has a noisy shape if that has more noise than noisy_shape.
  double noisy_shape = 2, least_odd_in_noise = 3;
  // A beat is Q instead of V if its noise, see noise_in_runs.h, is above most_noise, and that of its shape above
  // most_shape_noise. The noise of a shape is the median over the template's beats. A beat in poor signal that is
  // judged alone has a shape of its own.
  double most_noise = 2.5, most_shape_noise = 4;
};

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

// A fusion beat is on time, and its shape lies between a usual and a ventricular one.
struct FusionOptions {
  double most_early = 0.25;                    // largest share of its beats that come early
  double least_distance = 0.25;                // from every other usual template
  double ventricular_early = 0.3;              // least share of early beats of the ventricular template
  double least_share = 0.2, most_share = 0.6;  // how far it is on the way from the usual to the ventricular template
  double most_aside = 0.45;                    // squared distance from that way, over that from the usual template
};

// Returns which templates are of fusion beats, [T].
//   centres  [T][width]
std::vector<std::uint8_t> fusion_templates(const Facts& facts, const VentricularTemplates& judged,
                                           std::span<const std::int16_t> centres, std::int64_t width,
                                           const FusionOptions& options);

}  // namespace beatscan
