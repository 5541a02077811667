#include "stages/classify/clusters.h"

#include <algorithm>
#include <bit>

#include "kernels/lists/bits.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "kernels/templates/shape_distances.h"

namespace beatscan {

namespace {

constexpr std::int64_t kGrain = 256;  // shapes that a thread takes at a time

// Returns the mean rounded to the nearest integer, halves away from 0.
std::int16_t rounded_mean(std::int64_t sum, std::int64_t count) {
  const std::int64_t half = sum < 0 ? -(count / 2) : count / 2;
  return static_cast<std::int16_t>((sum + half) / count);
}

// The shapes of a sample that are in no cluster yet, and the number of neighbours of each among them.
class SampleLeft {
 public:
  SampleLeft(std::int64_t count, std::span<const std::uint32_t> neighbours)
      : neighbours_(neighbours), words_(words_for(count)), left_(words_), near_(count) {
    for (std::int64_t i = 0; i < count; ++i) left_[i / 32] |= 1U << i % 32;
    parallel_for(Cpu(), count, kGrain, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i)
        for (std::int64_t w = 0; w < words_; ++w) near_[i] += std::popcount(neighbours_[i * words_ + w]);
    });
  }

  // Returns the shape with the most remaining neighbours, and their number.
  std::pair<std::int64_t, int> densest() const {
    std::pair<std::int64_t, int> best{-1, 0};
    for (std::int64_t i = 0; i < std::ssize(near_); ++i)
      if (is_left(i) && near_[i] > best.second) best = {i, near_[i]};
    return best;
  }

  // Removes the neighbours of shape i, and returns them. Neighbourhood is mutual: so each neighbour of a removed shape
  // loses one.
  std::vector<std::int64_t> take(std::int64_t i) {
    std::vector<std::int64_t> taken;
    for_each_left_near(i, [&](std::int64_t j) { taken.push_back(j); });
    for (const std::int64_t j : taken) left_[j / 32] &= ~(1U << j % 32);
    for (const std::int64_t j : taken) for_each_left_near(j, [&](std::int64_t other) { --near_[other]; });
    return taken;
  }

 private:
  bool is_left(std::int64_t i) const { return left_[i / 32] >> i % 32 & 1; }

  template <class Visit>
  void for_each_left_near(std::int64_t i, const Visit& visit) const {
    for (std::int64_t w = 0; w < words_; ++w)
      for (std::uint32_t bits = neighbours_[i * words_ + w] & left_[w]; bits != 0; bits &= bits - 1)
        visit(32 * w + std::countr_zero(bits));
  }

  std::span<const std::uint32_t> neighbours_;
  std::int64_t words_;
  std::vector<std::uint32_t> left_;
  std::vector<int> near_;
};

// The places of two clusters and their distance.
struct NearPair {
  std::size_t first, second;
  float distance;
};

NearPair nearest_pair(const std::vector<Cluster>& clusters, double floor) {
  NearPair best{0, 0, 5};
  for (std::size_t i = 0; i < clusters.size(); ++i)
    for (std::size_t j = i + 1; j < clusters.size(); ++j) {
      const float distance = shape_distance(std::span(clusters[i].centre), std::span(clusters[j].centre), floor);
      if (best.second == 0 || distance < best.distance) best = {i, j, distance};
    }
  return best;
}

}  // namespace

Cluster cluster_of(std::span<const std::int64_t> sums, std::int64_t count) {
  BEATSCAN_EXPECTS(count > 0, "cluster_of: no members");
  Cluster cluster{{sums.begin(), sums.end()}, count, {}};
  for (const std::int64_t sum : sums) cluster.centre.push_back(rounded_mean(sum, count));
  return cluster;
}

std::vector<Cluster> clusters_of_neighbours(std::span<const std::int16_t> sample, std::int64_t width,
                                            std::span<const std::uint32_t> neighbours, std::int64_t most) {
  const std::int64_t count = std::ssize(sample) / width;
  BEATSCAN_EXPECTS(count > 0 && std::ssize(neighbours) == count * words_for(count),
                   "clusters_of_neighbours: bad shape");
  SampleLeft left(count, neighbours);
  std::vector<Cluster> clusters;
  while (std::ssize(clusters) < most) {
    const auto [place, near] = left.densest();
    if (near < 2) break;
    std::vector<std::int64_t> sums(width);
    for (const std::int64_t i : left.take(place))
      for (std::int64_t j = 0; j < width; ++j) sums[j] += sample[i * width + j];
    clusters.push_back(cluster_of(sums, near));
  }
  if (clusters.empty())
    clusters.push_back(cluster_of(std::vector<std::int64_t>(sample.begin(), sample.begin() + width), 1));
  return clusters;
}

void merge_near(std::vector<Cluster>& clusters, double distance, double floor) {
  while (clusters.size() > 1) {
    const NearPair near = nearest_pair(clusters, floor);
    if (near.distance > distance) return;
    const Cluster& other = clusters[near.second];
    Cluster joined = clusters[near.first];
    for (std::size_t j = 0; j < joined.sums.size(); ++j) joined.sums[j] += other.sums[j];
    joined.count += other.count;
    clusters[near.first] = joined.count > 0 ? cluster_of(joined.sums, joined.count) : joined;
    clusters.erase(clusters.begin() + static_cast<std::ptrdiff_t>(near.second));
  }
}

std::vector<std::vector<float>> distances_between(std::span<const std::int16_t> centres, std::int64_t width,
                                                  double floor) {
  const std::int64_t count = std::ssize(centres) / width;
  std::vector<std::vector<float>> distances(count);
  for (std::int64_t k = 0; k < count; ++k)
    for (std::int64_t j = 0; j < count; ++j)
      distances[k].push_back(
          shape_distance(centres.subspan(k * width, width), centres.subspan(j * width, width), floor));
  return distances;
}

std::vector<std::int16_t> centres_of(const std::vector<Cluster>& clusters) {
  std::vector<std::int16_t> centres;
  for (const Cluster& cluster : clusters) centres.insert(centres.end(), cluster.centre.begin(), cluster.centre.end());
  return centres;
}

}  // namespace beatscan
