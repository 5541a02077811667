// stages/findings/finding_options.h — options of the classification of beats.
#pragma once

#include <cstdint>

namespace beatscan {

// See templates.h for their meaning.
struct TemplateOptions {
  double qrs_from_s = -0.100, qrs_to_s = 0.180;  // the part of a row that tells shapes apart
  double rest_weight = 0.2;                      // weight of the rest of a row
  double lead_floor = 0.02;                      // added to a lead's spread^2, so that no lead outweighs all others
  double distance_floor = 0.1;                   // added to |a| |b|, so that flat beats are not far from each other
  double radius_factor = 6, least_radius = 0.05, most_radius = 0.25;
  double member_radius = 1.5;  // beats within this number of radii of a centre make the next centre
  double merge_radius = 0.7;   // centres within this number of radii of each other become one
  int most = 39;               // number of templates
  int fewest_beats = 3;        // a template of fewer beats is dropped, but for the first
  int passes = 2;              // number of k-means passes
  int sample = 2048;           // beats whose neighbours are counted; half of them the oddest
};

// The defaults were chosen on 22 records of the MIT-BIH Arrhythmia Database (DS1 of de Chazal et al. 2004) and 39 of
// the MIT-BIH Supraventricular Arrhythmia Database by their annotations.
// See early.h for their meaning.
struct EarlyOptions {
  int local_beats = 15;
  double local_quantile = 0.6;
  int change_beats = 30;
  double first_local = 0.84, first_recording = 0.75, first_change = 6;
  int rounds = 3;
  int reference_beats = 24, scatter_beats = 48;
  double quantile = 0.7;
  double least_early = 0.08, late_weight = 0.5, abrupt_weight = 0.6, least_sum = 0.28, scatter = 4;
  int run_after = 2;
  double run_ratio = 0.85, run_change = 0.06;
  int even_run = 6;
  double even_change = 0.06, even_jump = 1.15, even_bpm = 80;
  int settled_beats = 120, settled_end = 5;
  double settled_jump = 1.15, settled_ratio = 0.65, settled_last_ratio = 0.60;
  double settled_block_bpm = 50, settled_sinus_bpm = 100;
  int usual_run = 10;
  double usual_ratio = 0.92, usual_slow = 0.2;
  // A run in poor signal of fewer beats, or less even ones, may be made by noise (early_in_noise.h).
  int noise_run = 8;
  double noise_even = 0.1;
};

// See template_facts.h for their meaning.
struct WidthOptions {
  double from_s = -0.110, to_s = 0.160;  // part of a row whose slopes count; the R peak is at 0
  double mean_sigma_s = 0.00265;         // sigma of the Gaussian that smooths a template's mean beat
  double beat_sigma_s = 0.00441;         // sigma of the Gaussian that smooths a single beat
};

// The defaults were chosen on 22 records of the MIT-BIH Arrhythmia Database (DS1 of de Chazal et al. 2004) and 39 of
// the MIT-BIH Supraventricular Arrhythmia Database by their annotations.
// See ventricular.h for their meaning.
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

// A fusion beat is on time, and its shape lies between a usual and a ventricular one.
struct FusionOptions {
  double most_early = 0.25;                    // largest share of its beats that come early
  double least_distance = 0.25;                // from every other usual template
  double ventricular_early = 0.3;              // least share of early beats of the ventricular template
  double least_share = 0.2, most_share = 0.6;  // how far it is on the way from the usual to the ventricular template
  double most_aside = 0.45;                    // squared distance from that way, over that from the usual template
};

struct KindOptions {
  VentricularOptions ventricular;
  EarlyOptions early;
  FusionOptions fusion;
  WidthOptions width;
};

// The defaults were chosen on DS1 of the MIT-BIH Arrhythmia Database, 39 records of the MIT-BIH Supraventricular
// Arrhythmia Database, and the noise stress test with both leads and with one.
// See bumps.h for their meaning.
struct BumpOptions {
  double in_time = 0.12;         // most distance of a usual beat from its time, in usual intervals
  std::int64_t most_apart = 20;  // most usual intervals between two N beats with bumps between them
  std::int64_t beats = 6;        // number of N beats on either side that tell whether the line is bent
  double least_odd = 1;          // least median waveform score of these N beats where the line is bent
  double most_odd = 8;           // an N beat with a higher score does not count: it may be a V beat
  double least_noise = 1.3;      // least median noise of these N beats where the line is bent
  double reach = 12;             // usual intervals on either side of a V beat in which bumps make it a bump, too
  double least_share = 0.3;      // least share of bumps among the V beats within reach
  std::int64_t least_beats = 2;  // least number of bumps within reach
};

// See groups.h for their meaning.
struct GroupOptions {
  int fewest_beats = 3;
  double least_share = 0.001;
  int most = 40;  // number of groups, at least 5, so that each kind may have one
};

// See usual_first.h for their meaning.
struct UsualOptions {
  int few_beats = 200;
  double least_share = 0.25;
  double clearly = 0.15;
  double narrower = 0.2, on_time = 0.5;  // in a recording of more beats
};

struct FindingOptions {
  TemplateOptions templates;
  KindOptions kinds;
  BumpOptions bumps;
  GroupOptions groups;
  UsualOptions usual;
};

}  // namespace beatscan
