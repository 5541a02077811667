// stages/classify/templates.h — groups of beats of similar shape, on the host.
//
// Shapes are integers (kernels/templates/shape_rows.h), so means and their order do not depend on how work is divided.
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

// A group: its members' sum, and its centre, which is their mean rounded to integers.
struct Cluster {
  std::vector<std::int64_t> sums;    // [V]
  std::int64_t count = 0;            // members; of none the centre is given
  std::vector<std::int16_t> centre;  // [V]
};

// Makes a cluster of sums and a count, which is not 0.
Cluster cluster_of(std::span<const std::int64_t> sums, std::int64_t count);

// Finds clusters by counting neighbours (Daura et al. 1999): the shape with the most neighbours forms a cluster with
// them, these shapes are removed, and the search continues with the rest. Of equal counts the first shape is taken. It
// stops at `most` clusters, or when each remaining shape has no neighbour but itself. There is at least one cluster.
//   sample      [S][V], S > 0
//   neighbours  [S][words_for(S)] bits: which shapes are near; each is its own neighbour
std::vector<Cluster> clusters_of_neighbours(std::span<const std::int16_t> sample, std::int64_t width,
                                            std::span<const std::uint32_t> neighbours, std::int64_t most);

// Joins the two nearest clusters while their distance is at most `distance`. Of equally near pairs the first is joined,
// into the first of the two.
//   floor  of the distance, see shape_distances.h
void merge_near(std::vector<Cluster>& clusters, double distance, double floor);

// Returns the distances between centres, [T][T].
//   centres  [T][width]
std::vector<std::vector<float>> distances_between(std::span<const std::int16_t> centres, std::int64_t width,
                                                  double floor);

// Returns the centres, one after the other.
std::vector<std::int16_t> centres_of(const std::vector<Cluster>& clusters);

// Groups the beats of a recording by their shape.
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
