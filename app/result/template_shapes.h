// app/result/template_shapes.h — the mean beat of each template, and its most typical and its oddest beat.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace beatscan {

struct RowOptions;
template <class Context>
struct EmbeddedBeats;

struct RunResult;

// T templates, C leads that rows were cut of, D points. Means are over beats of the template that are spread evenly
// over the recording: in good signal, if it has any there.
struct TemplateShapes {
  std::vector<float> means;           // [C][T][D] in the lead's unit
  std::vector<std::int64_t> typical;  // [T] the beat nearest to the mean, of those that the mean is over
  std::vector<std::int64_t> oddest;   // [T] of all beats in good signal, that with the highest waveform score
  std::vector<double> spread;         // [T] root mean square distance from the mean over the size of the mean
  std::vector<double> width_ms;       // [T] of the QRS complex, see mean_widths_ms; NaN where the mean has no slope
  std::vector<double> lead_weights;   // [C] clearness() of each lead: next to nothing in a lead of noise alone
};

inline constexpr std::int64_t kTemplateRows = 64;     // at most, of each template
inline constexpr std::int64_t kTemplatesRows = 8192;  // at most, of all templates in all leads, but 8 of each

// Returns the shapes of the result's templates; none where beats have none.
template <class Context>
TemplateShapes template_shapes(Context&, const EmbeddedBeats<Context>& embedded, const RunResult& result,
                               const RowOptions& rows);

// Mean beats of templates: T templates, C leads, D points.
struct ShapeMeans {
  std::span<const float> means;  // [C][T][D]
  std::int64_t leads = 0, templates = 0, points = 0;
  std::span<const float> mean(std::int64_t c, std::int64_t k) const {
    return means.subspan((c * templates + k) * points, points);
  }
};

// Returns the width of the QRS complex of each mean beat in ms, [T]. It is the effective width of the slopes in all
// leads (kernels/shapes/shape_widths.h), less than the QRS duration that a reader measures from the first to the last
// deflection; it is there to be compared between templates. Each lead counts by the size of the usual template's mean
// beat in it, and by its weight. NaN where a mean has no slope.
//   lead_weights  [C]
//   usual         place of the usual template
std::vector<double> mean_widths_ms(const ShapeMeans& shapes, std::span<const double> lead_weights, std::int64_t usual,
                                   const RowOptions& rows);

}  // namespace beatscan
