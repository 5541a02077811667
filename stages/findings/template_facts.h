// stages/findings/template_facts.h — size, width and time of templates and of single beats.
//
//   energy  |shape|^2
//   width   of the QRS complex, see kernels/shapes/shape_widths.h, in points of a row
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/shapes/shape_widths.h"

namespace beatscan {

struct RowOptions;
struct WidthOptions;
template <class Context>
struct BeatTemplates;
template <class Context>
struct EmbeddedBeats;

// The range and the filter that widths are measured with, in points of a row.
struct WidthScale {
  WidthRange range;
  std::vector<double> taps;
};
WidthScale width_scale(std::int64_t points, const RowOptions& rows, const WidthOptions& options, double sigma_s);

struct TemplateFacts {
  std::int64_t beats = 0;
  double log_energy = 0;   // mean energy of its beats over that of the first template's, logarithm
  double log_width = 0;    // width of its mean beat over that of the first template's, logarithm
  double early_share = 0;  // share of its beats that come early, among those with a known interval
  double next_ratio = 1;   // median of BeatTimesOf::next_ratio of its beats that are near it; 1 where none is known
};

// The times of B beats, on the host.
struct BeatTimesOf {
  std::vector<double> ratio;       // [B] RR interval before / that usual around the beat; NaN where it is not known
  std::vector<double> next_ratio;  // [B] RR interval after / the same; empty: none is known
};

// The facts of T templates, and what single beats are compared with.
struct Facts {
  std::vector<TemplateFacts> templates;       // [T]
  std::vector<std::vector<float>> distances;  // [T][T] between centres
  double usual_energy = 0;                    // mean of the first template's beats
};

// Returns the median distance of each template's beats from its centre, [T].
template <class Context>
std::vector<float> median_distances(const BeatTemplates<Context>& templates);

// Says which beats are early, and which are near their template.
struct FactLimits {
  double early_ratio;  // an early beat's ratio is below this
  double near;         // a near beat's distance is at most this
};

// Collects the facts of templates.
template <class Context>
Facts facts_of(Context&, const EmbeddedBeats<Context>& embedded, const RowOptions& rows,
               const BeatTemplates<Context>& templates, const std::vector<float>& median_distances,
               const BeatTimesOf& times, const FactLimits& limits, const WidthOptions& options);

// Single beats, on the host.
struct SingleBeats {
  std::vector<double> log_energy;  // [C] over usual_energy
  std::vector<double> log_width;   // [C] over the median of the first template's beats
  std::vector<float> from_usual;   // [C] least distance from the centres of usual templates
};

// Looks at some beats apart from their templates.
//   beats  [C] rows
//   usual  templates, at least one
template <class Context>
SingleBeats single_beats(Context&, const EmbeddedBeats<Context>& embedded, const RowOptions& rows,
                         const BeatTemplates<Context>& templates, const std::vector<std::int64_t>& beats,
                         const std::vector<std::int64_t>& usual, double usual_energy, const WidthOptions& options);

}  // namespace beatscan
