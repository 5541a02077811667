// app/output/template_shapes.h — the mean beat of each template, and its most typical and its most atypical beat.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace beatscan {

struct BeatFacts;
struct Findings;
struct RowOptions;
template <class Context>
struct EmbeddedBeats;

// T templates, C leads with beat windows, D points. Means are over evenly spaced beats of the template: those in good
// signal, if it has any.
struct TemplateShapes {
  std::vector<float> means;                 // [C][T][D] in the lead's unit
  std::vector<std::int64_t> typical;        // [T] the beat nearest to the mean, among the averaged beats
  std::vector<std::int64_t> most_atypical;  // [T] the one furthest from it; another beat if there are two
  std::vector<double> spread;               // [T] root mean square distance from the mean over the size of the mean
  std::vector<double> width_ms;             // [T] of the QRS complex, see mean_widths_ms; NaN if the mean has no slope
  std::vector<double> lead_weights;         // [C] clearness() of each lead: near 0 in a lead of noise alone
};

inline constexpr std::int64_t kTemplateRows = 64;     // at most, of each template
inline constexpr std::int64_t kTemplatesRows = 8192;  // at most, of all templates in all leads, but 8 of each

// Returns the shapes of the templates of beats with windows around R peaks; none of other beats.
template <class Context>
TemplateShapes template_shapes(Context&, const EmbeddedBeats<Context>& embedded, const BeatFacts& beats,
                               const Findings& findings, const RowOptions& rows);

// Mean beats of templates: T templates, C leads, D points.
struct ShapeMeans {
  std::span<const float> means;  // [C][T][D]
  std::int64_t leads = 0, templates = 0, points = 0;
  std::span<const float> mean(std::int64_t c, std::int64_t k) const {
    return means.subspan((c * templates + k) * points, points);
  }
};

// Returns the width of the QRS complex of each mean beat in ms, [T]: the effective width of the slopes in all leads
// (kernels/templates/shape_distances.h). It is less than the QRS duration that a reader measures from the first to the
// last deflection, and serves to compare templates. Each lead is weighted by the size of the dominant template's mean
// beat in it, and by its weight. NaN if a mean has no slope.
//   lead_weights  [C]
//   dominant         index of the dominant template
std::vector<double> mean_widths_ms(const ShapeMeans& shapes, std::span<const double> lead_weights,
                                   std::int64_t dominant, const RowOptions& rows);

}  // namespace beatscan
