// stages/classify/clusters.h — groups of beats of similar shape, on the host.
//
// Shapes are integers (kernels/templates/shape_rows.h), so means and their order do not depend on how work is divided.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace beatscan {

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

}  // namespace beatscan
