// stages/classify/templates.h — groups the beats of a recording by their shape.
//
//   x        median beat + spread * row, in each lead: the beat in units of the median beat's standard deviation
//   shape    sqrt(w_lead w_time) x, shortened to 64 points a lead, as integers
//   w_lead   clearness(spread) / (spread^2 + lead_floor), made to sum to 1 over the leads
//   w_time   1 within the QRS complex, rest_weight elsewhere
//   d(a, b)  |a - b|^2 / (|a| |b| + distance_floor)
//   radius   radius_factor * median of d(beat, median beat), within least_radius .. most_radius
// Templates are found by k-means (Lloyd 1982), which is begun by counting neighbours within a radius (Daura et al.
// 1999, "Peptide folding", the clustering known as gromos) in a sample of the beats. Everything is in a fixed order and
// in integers, so that the same beats give the same templates on every device.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/runtime/buffer.h"

namespace beatscan {

struct RowOptions;
struct TemplateOptions;
template <class Context>
struct EmbeddedBeats;

// The beats that templates are made of.
struct TemplateBeats {
  std::span<const std::uint8_t> good;  // [B] 1 for a beat in good signal; of fewer than 50 such beats, all count
  std::span<const float> odd;          // [B] the higher, the more atypical
};

// The templates of B beats, in the order of their size.
template <class Context>
struct BeatTemplates {
  std::int64_t width = 0;  // V
  double floor = 0;        // of distances between shapes
  double radius = 0;
  std::vector<double> lead_weights;       // [L] w_lead
  Buffer<std::int16_t, Context> shapes;   // [B][V]
  Buffer<std::int64_t, Context> squares;  // [B] see shape_squares
  Buffer<std::uint8_t, Context> nearest;  // [B] the template of each beat
  Buffer<float, Context> distances;       // [B] from it
  std::vector<std::uint8_t> template_of;  // [B] the same on the host
  std::vector<float> distance;            // [B] the same on the host
  std::vector<std::int16_t> centres;      // [T][V]
  std::vector<std::int64_t> counts;       // [T] beats of each, at least one

  std::int64_t size() const { return static_cast<std::int64_t>(counts.size()); }  // T
  std::span<const std::int16_t> centre(std::int64_t k) const { return std::span(centres).subspan(k * width, width); }
};

// Returns the values of each template's beats.
//   values  [B]
template <class Context>
std::vector<std::vector<float>> by_template(const BeatTemplates<Context>& templates, std::span<const float> values) {
  std::vector<std::vector<float>> of(templates.counts.size());
  for (std::size_t k = 0; k < of.size(); ++k) of[k].reserve(templates.counts[k]);
  for (std::size_t b = 0; b < values.size(); ++b) of[templates.template_of[b]].push_back(values[b]);
  return of;
}

// Finds the templates of at least one beat. `rows` are the options that the beats were embedded with.
template <class Context>
BeatTemplates<Context> templates_of(Context&, const EmbeddedBeats<Context>& embedded, const RowOptions& rows,
                                    const TemplateBeats& beats, const TemplateOptions& options);

}  // namespace beatscan
