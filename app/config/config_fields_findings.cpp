// The options for kinds and templates of beats.
#include "app/config/field_makers.h"
#include "kernels/lists/local_quantiles.h"
#include "kernels/shapes/shape_distances.h"
#include "kernels/shapes/shape_sums.h"

namespace beatscan {
namespace {

using namespace fields;

const Range kDistance{0, 10}, kWeight{0, 100}, kShare{0, 1}, kTime{-1, 2};

void add_template_fields(PrefixedFields& to, TemplateOptions& t) {
  to.add("template_from_s", "shapes are compared by the signal from this time on, 0 being the R peak, seconds",
         t.qrs_from_s, kTime);
  to.add("template_to_s", "shapes are compared by the signal up to this time, seconds", t.qrs_to_s, kTime);
  to.add("template_rest",
         "weight of the signal before template_from_s and after template_to_s where shapes are compared", t.rest_weight,
         kShare);
  to.add("template_lead_floor",
         "added to the squared spread of a lead; the inverse of the sum is the weight of the lead", t.lead_floor,
         {1e-6, 100});
  to.add("template_floor", "added to the product of the sizes of two shapes; the sum divides their squared difference",
         t.distance_floor, {1e-6, 100});
  to.add("template_radius", "radius of a template, in median distances of beats from the median beat", t.radius_factor,
         kWeight);
  to.add("template_least_radius", "least radius of a template", t.least_radius, kDistance);
  to.add("template_most_radius", "largest radius of a template", t.most_radius, kDistance);
  to.add("template_members", "largest distance from a template's mean of the beats that make its next mean, in radii",
         t.member_radius, kDistance);
  to.add("template_merge", "largest distance between two templates that become one, in radii", t.merge_radius,
         kDistance);
  to.count("template_most", "largest number of shapes", t.most, {1, static_cast<double>(kMostGroups)});
  to.count("template_fewest", "a shape of fewer beats is dropped", t.fewest_beats, {1, 1000});
  to.count("template_passes", "number of passes of k-means", t.passes, {0, 100});
  to.count("template_sample", "number of beats among which the first templates are found", t.sample,
           {2, static_cast<double>(kMostSampleShapes)});
}

void add_ventricular_fields(PrefixedFields& to, VentricularOptions& v) {
  to.add("v_distance_weight", "weight of a shape's distance from the usual shapes", v.distance_weight, kWeight);
  to.add("v_most_distance", "largest distance from the usual shapes that counts; a farther shape counts as this far",
         v.most_distance, kDistance);
  to.add("v_energy_weight", "weight of the logarithm of a shape's energy over the usual one", v.energy_weight, kWeight);
  to.add("v_width_weight", "weight of the logarithm of a QRS complex's width over the usual one", v.width_weight,
         kWeight);
  to.add("v_early_weight", "weight of the share of a shape's beats that come early", v.early_weight, kWeight);
  to.add("v_late_weight", "weight of the pause after a shape's beats", v.late_weight, kWeight);
  to.add("v_least_distance", "a ventricular shape is farther than this from the usual shapes", v.least_distance,
         kDistance);
  to.add("v_odd_distance",
         "a very odd shape (see v_very_odd) is ventricular only if it is farther than this from the usual shapes",
         v.odd_distance, kDistance);
  to.add("v_very_odd", "a shape is very odd if the median waveform_score of its beats is at least this, and it is wide",
         v.very_odd, {-1000, 1000});
  to.add("v_odd_width", "the logarithm of a very odd shape's width over the usual one is at least this", v.odd_width,
         {-10, 10});
  to.add("v_usual_early", "another shape is usual, too, only if less than this share of its beats are early",
         v.usual_early, kShare);
  to.add("v_usual_share", "another shape is usual, too, only if it has at least this share of all beats", v.usual_share,
         kShare);
  to.add("v_sibling",
         "a shape nearer than this to a ventricular one may be ventricular, whether its beats are early or not",
         v.sibling_distance, kDistance);
  to.add("v_early_ratio", "a beat comes early if its RR interval is below this times the usual one", v.early_ratio,
         kShare);
  to.add("v_alone", "a beat farther than this from its template is judged alone", v.alone_distance, kDistance);
  to.add("v_alone_width_weight", "weight of the width of a beat that is judged alone", v.alone_width_weight, kWeight);
  to.add("v_alone_late_weight", "weight of the pause after a beat that is judged alone", v.alone_late_weight, kWeight);
  to.add("v_alone_least", "a beat that is judged alone is ventricular if its weighted sum is above this", v.alone_least,
         {-100, 100});
  to.add("v_least_odd", "least waveform_score of a ventricular beat in a recording of more than usual_few beats",
         v.least_odd, {-1000, 1000});
  to.add("v_noisy_shape", "median noise of a shape's beats above which the shape mostly occurs in noise", v.noisy_shape,
         {0, 1000});
  to.add("v_least_odd_in_noise",
         "least waveform_score of a ventricular beat that comes on time and whose shape mostly occurs in noise",
         v.least_odd_in_noise, {-1000, 1000});
  to.add("v_most_noise", "largest noise of a beat that is ventricular even if noise may have made its shape",
         v.most_noise, {0, 1000});
  to.add(
      "v_most_shape_noise",
      "largest median noise of a shape's beats; above it noise may have made the shape, and its beats are Q and not V",
      v.most_shape_noise, {0, 1000});
  to.add("q_distance", "a beat farther than this from its template is of unknown kind", v.not_told, kDistance);
}

void add_bump_fields(PrefixedFields& to, BumpOptions& bumps) {
  const Range counts{1, 1000};
  to.add("q_bump_in_time", "most distance of a usual beat beside bumps from its time, in usual intervals",
         bumps.in_time, {0, 0.5});
  to.count("q_bump_most_apart", "most usual intervals between two N beats with bumps between them", bumps.most_apart,
           counts);
  to.count("q_bump_beats", "number of N beats on either side that tell whether movement bends the line", bumps.beats,
           counts);
  to.add("q_bump_least_odd", "least median waveform_score of these N beats where movement bends the line; 1000: never",
         bumps.least_odd, {-1000, 1000});
  to.add("q_bump_most_odd", "an N beat with a higher waveform_score does not count there", bumps.most_odd,
         {-1000, 1000});
  to.add("q_bump_least_noise", "least median noise of these N beats where movement bends the line", bumps.least_noise,
         {0, 1000});
  to.add("q_bump_reach", "usual intervals on either side of a V beat in which bumps make it a bump, too", bumps.reach,
         {0, 1000});
  to.add("q_bump_least_share", "least share of bumps among the V beats within q_bump_reach that make others bumps, too",
         bumps.least_share, kShare);
  to.count("q_bump_least_beats", "least number of bumps within q_bump_reach that make other V beats bumps, too",
           bumps.least_beats, counts);
}

void add_early_fields(PrefixedFields& to, EarlyOptions& s) {
  const Range reach{1, kMostReach};
  to.count("s_local_beats", "number of beats on either side whose RR intervals tell the usual one around a beat",
           s.local_beats, reach);
  to.add("s_local_quantile", "quantile of the RR intervals around a beat that is the usual one", s.local_quantile,
         kShare);
  to.count("s_change_beats", "number of beats on either side over which changes of RR intervals are judged",
           s.change_beats, reach);
  to.add("s_first_local", "first guess: a beat is early if its interval is below this times the usual one around it",
         s.first_local, kDistance);
  to.add("s_first_recording",
         "first guess: a beat is early, too, if its interval is below this times the usual one over a longer time",
         s.first_recording, kDistance);
  to.add("s_first_change",
         "first guess: an early interval over the usual one is also below 1 less this times the median change of "
         "intervals",
         s.first_change, kWeight);
  to.count("s_rounds", "number of rounds in which beats are judged by the accepted ones around them", s.rounds,
           {1, 100});
  to.count("s_reference_beats", "number of accepted beats on either side that the reference is taken over",
           s.reference_beats, reach);
  to.count("s_scatter_beats", "number of accepted beats on either side that the scatter is taken over", s.scatter_beats,
           reach);
  to.add("s_quantile", "quantile of the accepted intervals that is the reference", s.quantile, kShare);
  to.add("s_least_early", "an early beat is earlier than this share of the reference", s.least_early, kShare);
  to.add("s_late_weight", "weight of the pause after a beat in the sum that tells whether it is early", s.late_weight,
         kWeight);
  to.add("s_abrupt_weight",
         "weight of the change from the interval before in the sum that tells whether a beat is early", s.abrupt_weight,
         kWeight);
  to.add("s_least", "a beat is early only if the sum of its terms is above this", s.least_sum, kDistance);
  to.add("s_scatter",
         "a beat is early only if the sum of its terms is above this times the scatter of the accepted intervals",
         s.scatter, kWeight);
}

void add_early_run_fields(PrefixedFields& to, EarlyOptions& s) {
  to.count("s_run_after", "number of early beats after which a run may go on", s.run_after, {1, 1000});
  to.add("s_run_ratio", "a run goes on while intervals are below this times the reference of its first beat; 0: no run",
         s.run_ratio, kDistance);
  to.add("s_run_change", "a run goes on only where the median change of intervals is below this", s.run_change,
         kDistance);
  to.count("s_even_run", "fewest beats of an even run that is early because it begins and ends suddenly", s.even_run,
           {2, 1000000000});
  to.add("s_even_change", "an even run goes on while intervals differ by at most this share from the one before",
         s.even_change, kDistance);
  to.add("s_even_jump", "an even run begins and ends suddenly if the intervals beside it are this times as long",
         s.even_jump, {1, 10});
  to.add("s_even_bpm", "rate above which an even run is early, beats a minute", s.even_bpm, {0, kMany});
  to.count("s_settled_beats", "fewest beats of a run that may be a rate that changed and stays", s.settled_beats,
           {1, 1000000000});
  to.count("s_settled_end", "number of intervals at the end of a run, and after it, that tell how it ends",
           s.settled_end, {1, 1000});
  to.add("s_settled_jump", "a run ends suddenly if the intervals after it are at least this times those at its end",
         s.settled_jump, kDistance);
  to.add("s_settled_ratio", "a run is no rate that stays if its intervals are below this times those before it",
         s.settled_ratio, kDistance);
  to.add("s_settled_last_ratio", "s_settled_ratio for a run that goes on to the end of the recording",
         s.settled_last_ratio, kDistance);
  to.add("s_settled_block_bpm",
         "a run below s_settled_sinus_bpm stays if the rate before it was below this, beats a minute",
         s.settled_block_bpm, {0, kMany});
  to.add("s_settled_sinus_bpm", "rate below which a run is no tachycardia after a slow rhythm, beats a minute",
         s.settled_sinus_bpm, {1, kMany});
  to.count("s_usual_run", "fewest beats of a run that is no run if its rate is the usual one", s.usual_run,
           {1, 1000000000});
  to.add("s_usual_ratio", "least interval of such a run, over that of beats that are not early", s.usual_ratio,
         kDistance);
  to.add("s_usual_slow", "largest share of the time at slower rates where such a run is none", s.usual_slow, kShare);
  to.count("s_noise_run", "fewest beats of a run of S that lies mostly in poor signal", s.noise_run, {1, 1000000000});
  to.add("s_noise_even",
         "in a run of S mostly in poor signal, four fifths of the intervals are within this share of their median",
         s.noise_even, kDistance);
}

void add_fusion_fields(PrefixedFields& to, FusionOptions& fusion) {
  to.add("f_most_early", "a fusion shape has at most this share of early beats", fusion.most_early, kShare);
  to.add("f_least_distance", "a fusion shape is at least this far from every usual one", fusion.least_distance,
         kDistance);
  to.add("f_v_early",
         "a fusion shape lies between a usual shape and a ventricular one with at least this share of early beats",
         fusion.ventricular_early, kShare);
  to.add("f_least_share", "least share of the way from the usual to the ventricular shape at which a fusion shape lies",
         fusion.least_share, kShare);
  to.add("f_most_share",
         "largest share of the way from the usual to the ventricular shape at which a fusion shape lies",
         fusion.most_share, kShare);
  to.add("f_most_aside",
         "largest squared distance of a fusion shape from the way between the usual and the ventricular shape, over "
         "that from the usual one",
         fusion.most_aside, kShare);
}

void add_width_fields(PrefixedFields& to, WidthOptions& width) {
  to.add("width_from_s", "the width of a QRS complex is measured from this time on, 0 being the R peak, seconds",
         width.from_s, kTime);
  to.add("width_to_s", "the width of a QRS complex is measured up to this time, seconds", width.to_s, kTime);
  to.add("width_mean_sigma_s", "sigma of the Gaussian that smooths a mean beat for its width, seconds",
         width.mean_sigma_s, {1e-4, 0.05});
  to.add("width_beat_sigma_s", "sigma of the Gaussian that smooths a single beat for its width, seconds",
         width.beat_sigma_s, {1e-4, 0.05});
}

void add_group_fields(PrefixedFields& to, FindingOptions& f) {
  to.count("group_fewest", "a template of fewer beats goes to the nearest one of its kind", f.groups.fewest_beats,
           {1, 1000});
  to.add("group_share", "a template of a smaller share of all beats goes to the nearest one of its kind",
         f.groups.least_share, kShare);
  to.count("group_most", "largest number of templates", f.groups.most, {5, 40});
  to.count("usual_few", "number of beats above which another template than the largest needs more to be usual",
           f.usual.few_beats, {0, 1000000000});
  to.add("usual_least_share", "least share of the beats of another template that may be usual", f.usual.least_share,
         kShare);
  to.add("usual_clearly",
         "another template is usual if it is less wide or early than the largest by more than this sum, weighted by "
         "v_width_weight and v_early_weight",
         f.usual.clearly, kDistance);
  to.add("usual_narrower",
         "in a recording of more than usual_few beats another template is usual only if it is narrower than the "
         "largest by "
         "this logarithm",
         f.usual.narrower, kDistance);
  to.add("usual_on_time",
         "in a recording of more than usual_few beats another template is usual only if its share of beats that come "
         "early, against the interval behind them, is lower than that of the largest by this",
         f.usual.on_time, kShare);
}

}  // namespace

void add_finding_fields(std::vector<ConfigField>& fields, FindingOptions& f) {
  PrefixedFields to(fields, "findings.");
  add_template_fields(to, f.templates);
  add_ventricular_fields(to, f.kinds.ventricular);
  add_bump_fields(to, f.bumps);
  add_early_fields(to, f.kinds.early);
  add_early_run_fields(to, f.kinds.early);
  add_fusion_fields(to, f.kinds.fusion);
  add_width_fields(to, f.kinds.width);
  add_group_fields(to, f);
}

}  // namespace beatscan
