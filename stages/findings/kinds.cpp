#include "stages/findings/kinds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "stages/common/robust.h"
#include "stages/findings/beat_times.h"
#include "stages/findings/early.h"
#include "stages/findings/early_in_noise.h"
#include "stages/findings/finding_options.h"
#include "stages/findings/noise_in_runs.h"
#include "stages/findings/template_facts.h"
#include "stages/findings/templates.h"
#include "stages/findings/ventricular.h"
#include "stages/rows/embedded_beats.h"
#include "stages/rows/row_options.h"

namespace beatscan {
namespace {

// Calls work(b) for each row, side by side.
template <class Work>
void for_each_row(std::size_t rows, const Work& work) {
  constexpr std::int64_t kGrain = 16384;  // rows that a thread takes at a time
  parallel_for(Cpu(), static_cast<std::int64_t>(rows), kGrain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t b = first; b < last; ++b) work(b);
  });
}

// Returns the times of the beats that are rows.
template <class Context>
BeatTimesOf times_of_rows(Context& context, const LocalRhythm<Context>& rhythm, const std::vector<std::int64_t>& kept,
                          const VentricularOptions& options) {
  const auto near = to_host(context, firsts_of(context, rhythm.near));
  const auto& rr = rhythm.rr_on_host;
  BeatTimesOf times{std::vector<double>(kept.size()), std::vector<double>(kept.size())};
  for_each_row(kept.size(), [&](std::size_t b) {
    const std::int64_t i = kept[b];
    times.ratio[b] = ratio_before(rr, near, i, options.early_ratio);
    times.next_ratio[b] = i + 1 < std::ssize(rr) ? rr[i + 1] / near[i] : std::numeric_limits<double>::quiet_NaN();
  });
  return times;
}

// Returns the rows that are like no template, but not so far from it that nothing can be told.
std::vector<std::int64_t> alone_rows(const std::vector<float>& distance, const VentricularOptions& options) {
  std::vector<std::int64_t> alone;
  for (std::int64_t b = 0; b < std::ssize(distance); ++b)
    if (distance[b] > options.alone_distance && distance[b] <= options.not_told) alone.push_back(b);
  return alone;
}

// Returns the median of the values of each template's beats, [T]; none of no values.
//   values  [B], or empty
template <class Context>
std::vector<float> medians_of_templates(const BeatTemplates<Context>& templates, std::span<const float> values) {
  std::vector<float> medians;
  if (values.empty()) return medians;
  for (const auto& its : by_template(templates, values)) medians.push_back(upper_median(its));
  return medians;
}

// Makes the V beats that are not odd for the noise there N.
template <class Context>
void keep_odd(const BeatTemplates<Context>& templates, std::span<const float> of_templates, std::span<const float> odd,
              const BeatTimesOf& times, const VentricularOptions& options, std::vector<Kind>& kinds) {
  for (std::size_t b = 0; b < odd.size(); ++b)
    if (kinds[b] == Kind::ventricular &&
        odd[b] < least_odd_of(of_templates[templates.template_of[b]], times.ratio[b], options))
      kinds[b] = Kind::normal;
}

// Makes V beats Q where noise may have made their shape: beats in noise whose template is mostly of noisier beats, and
// those in more noise and poor signal that are like no template.
template <class Context>
void keep_told(const BeatTemplates<Context>& templates, const KindBeats& beats, const VentricularOptions& options,
               std::vector<Kind>& kinds) {
  const std::vector<float> noise = noise_in_runs(beats, kinds), of_templates = medians_of_templates(templates, noise);
  for (std::size_t b = 0; b < kinds.size(); ++b) {
    if (kinds[b] != Kind::ventricular || !(noise[b] > options.most_noise)) continue;
    const bool alone_in_noise = templates.distance[b] > options.alone_distance && !beats.good[b];
    const float of_shape = alone_in_noise ? noise[b] : of_templates[templates.template_of[b]];
    if (of_shape > options.most_shape_noise) kinds[b] = Kind::unknown;
  }
}

// Makes beats that look like an artefact Q where they would be V, or are early, so that they are no neighbours of S.
void leave_artefacts(std::span<const Artefact> artefacts, const BeatTimesOf& times, double early_ratio,
                     std::vector<Kind>& kinds) {
  for (std::size_t b = 0; b < artefacts.size(); ++b)
    if (artefacts[b] != Artefact::none && (kinds[b] == Kind::ventricular || times.ratio[b] < early_ratio))
      kinds[b] = Kind::unknown;
}

// Marks the rows that are V or Q; the others stay N.
template <class Context>
std::vector<Kind> kinds_by_shape(Context& context, const EmbeddedBeats<Context>& embedded, const RowOptions& rows,
                                 const BeatTemplates<Context>& templates, const Facts& facts,
                                 const VentricularTemplates& judged, const BeatTimesOf& times,
                                 const KindOptions& options) {
  std::vector<Kind> kinds(templates.distance.size(), Kind::normal);
  for_each_row(kinds.size(), [&](std::size_t b) {
    if (templates.distance[b] > options.ventricular.not_told)
      kinds[b] = Kind::unknown;
    else if (templates.distance[b] <= options.ventricular.alone_distance &&
             judged.ventricular[templates.template_of[b]])
      kinds[b] = Kind::ventricular;
  });
  const auto alone = alone_rows(templates.distance, options.ventricular);
  const auto single =
      single_beats(context, embedded, rows, templates, alone, judged.usual, facts.usual_energy, options.width);
  for (std::size_t i = 0; i < alone.size(); ++i) {
    const AloneBeat beat{single.log_energy[i], single.log_width[i], single.from_usual[i], times.ratio[alone[i]],
                         times.next_ratio[alone[i]]};
    if (is_ventricular_alone(beat, options.ventricular)) kinds[alone[i]] = Kind::ventricular;
  }
  return kinds;
}

// Makes early beats S, or Q where noise may have made them. Only N beats are usual beside them.
template <class Context>
void tell_early(Context& context, const LocalRhythm<Context>& rhythm, std::span<const float> prev_ratio,
                const KindBeats& beats, const EarlyOptions& options, std::vector<Kind>& kinds) {
  std::vector<std::uint8_t> aside(kinds.size()), poor(kinds.size(), 1);
  std::ranges::transform(kinds, aside.begin(), [](Kind kind) { return kind != Kind::normal; });
  for (std::size_t b = 0; b < beats.kept.size(); ++b) poor[beats.kept[b]] = !beats.good[b];
  const auto early = early_beats(context, rhythm, prev_ratio, aside, options);
  const auto by_noise = early_by_noise(rhythm.rr_on_host, poor, early, options);
  for (std::size_t i = 0; i < kinds.size(); ++i)
    if (early[i]) kinds[i] = by_noise[i] ? Kind::unknown : Kind::supraventricular;
}

// Makes beats F that are like a template of fusion beats, and not S or Q.
template <class Context>
void tell_fusion(const BeatTemplates<Context>& templates, const std::vector<std::uint8_t>& fusion,
                 double alone_distance, const std::vector<std::int64_t>& kept, std::vector<Kind>& kinds) {
  for (std::size_t b = 0; b < kept.size(); ++b) {
    Kind& kind = kinds[kept[b]];
    if (fusion[templates.template_of[b]] && templates.distance[b] <= alone_distance && kind != Kind::supraventricular &&
        kind != Kind::unknown)
      kind = Kind::fusion;
  }
}

}  // namespace

template <class Context>
std::vector<Kind> kinds_of(Context& context, const EmbeddedBeats<Context>& embedded, const RowOptions& rows,
                           const BeatTemplates<Context>& templates, const LocalRhythm<Context>& rhythm,
                           const KindBeats& beats, const KindOptions& options) {
  const std::size_t count = beats.r_peaks.size();
  BEATSCAN_EXPECTS(std::ssize(beats.kept) == embedded.beats() && beats.broken.size() + (count > 0) == count &&
                       embedded.rhythm.prev_ratio.size() == std::ssize(beats.r_peaks) &&
                       rhythm.rr.size() == std::ssize(beats.r_peaks) && beats.good.size() == beats.kept.size() &&
                       beats.noise.size() == beats.kept.size() &&
                       (beats.odd.empty() || beats.odd.size() == beats.kept.size()) &&
                       (beats.artefacts.empty() || beats.artefacts.size() == beats.kept.size()),
                   "kinds_of: bad shape");
  BeatTimesOf times;
  std::vector<float> noise, odd, distances;  // medians of each template's beats
  run_together([&] { times = times_of_rows(context, rhythm, beats.kept, options.ventricular); },
               [&] { noise = medians_of_templates(templates, beats.noise); },
               [&] { odd = medians_of_templates(templates, beats.odd); },
               [&] { distances = median_distances(templates); });
  const auto facts = facts_of(context, embedded, rows, templates, distances, times,
                              {options.ventricular.early_ratio, options.ventricular.alone_distance}, options.width);
  const auto judged = ventricular_templates(facts, odd, embedded.beats(), options.ventricular);
  auto by_shape = kinds_by_shape(context, embedded, rows, templates, facts, judged, times, options);
  keep_odd(templates, noise, beats.odd, times, options.ventricular, by_shape);
  keep_told(templates, beats, options.ventricular, by_shape);
  leave_artefacts(beats.artefacts, times, options.ventricular.early_ratio, by_shape);
  std::vector<Kind> kinds(count, Kind::unknown);
  for (std::size_t b = 0; b < by_shape.size(); ++b) kinds[beats.kept[b]] = by_shape[b];
  tell_early(context, rhythm, embedded.rhythm.prev_ratio.span(), beats, options.early, kinds);
  for (std::size_t b = 0; b < beats.artefacts.size(); ++b)
    if (beats.artefacts[b] != Artefact::none && kinds[beats.kept[b]] == Kind::supraventricular)
      kinds[beats.kept[b]] = Kind::unknown;
  const auto fusion = fusion_templates(facts, judged, templates.centres, templates.width, options.fusion);
  tell_fusion(templates, fusion, options.ventricular.alone_distance, beats.kept, kinds);
  return kinds;
}

#define BEATSCAN_KINDS_OF(Context)                                                                                  \
  template std::vector<Kind> kinds_of(Context&, const EmbeddedBeats<Context>&, const RowOptions&,                   \
                                      const BeatTemplates<Context>&, const LocalRhythm<Context>&, const KindBeats&, \
                                      const KindOptions&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_KINDS_OF)

}  // namespace beatscan
