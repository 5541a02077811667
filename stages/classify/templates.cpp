#include "stages/classify/templates.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "kernels/lists/bits.h"
#include "kernels/lists/gather.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "kernels/templates/shape_distances.h"
#include "kernels/templates/shape_rows.h"
#include "stages/classify/beat_findings.h"
#include "stages/common/robust.h"
#include "stages/windows/embedded_beats.h"
#include "stages/windows/row_options.h"

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

namespace {

// Returns the weight in time of each point of a shape, sqrt(w_time).
std::vector<double> time_weights(std::int64_t points, const RowOptions& rows, const TemplateOptions& options) {
  const std::int64_t pooled = points / kShapePoints;
  const double step = (rows.before_s + rows.after_s) / static_cast<double>(points - 1);
  std::vector<double> weights;
  for (std::int64_t p = 0; p < kShapePoints; ++p) {
    const double middle = static_cast<double>(p * pooled) + 0.5 * static_cast<double>(pooled - 1);
    const double time_s = middle * step - rows.before_s;
    weights.push_back(options.qrs_from_s < time_s && time_s < options.qrs_to_s ? 1 : std::sqrt(options.rest_weight));
  }
  return weights;
}

// The shape of a row of zeros in one lead, and what a row adds to it, see shape_rows.
struct ShapeScale {
  std::vector<double> offset, factor;  // [kShapePoints]
};

ShapeScale scale_of_lead(const std::vector<float>& median, double spread, double weight,
                         const std::vector<double>& in_time) {
  const std::int64_t pooled = std::ssize(median) / kShapePoints;
  ShapeScale scale;
  for (std::int64_t p = 0; p < kShapePoints; ++p) {
    const double sum = std::accumulate(median.begin() + p * pooled, median.begin() + (p + 1) * pooled, 0.0);
    const double unit = kShapeUnit * std::sqrt(weight) * in_time[p] / static_cast<double>(pooled);
    scale.offset.push_back(unit * sum);
    scale.factor.push_back(unit * spread);
  }
  return scale;
}

template <class Context>
std::vector<double> weights_of_leads(const std::vector<EmbeddedLead<Context>>& leads, double floor) {
  std::vector<double> weights;
  for (const auto& lead : leads) {
    const double spread = lead.beats.reference.spread;
    weights.push_back(clearness(spread) / (spread * spread + floor));
  }
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= sum;
  return weights;
}

// Fills in the shapes. Returns that of the median beat.
template <class Context>
std::vector<std::int16_t> make_shapes(Context& context, const EmbeddedBeats<Context>& embedded, const RowOptions& rows,
                                      const TemplateOptions& options, BeatTemplates<Context>& made) {
  const std::int64_t beats = embedded.beats(), leads = std::ssize(embedded.leads);
  BEATSCAN_EXPECTS(leads > 0 && beats > 0 && embedded.rows.points % kShapePoints == 0, "templates_of: bad rows");
  made.width = leads * kShapePoints;
  made.floor = options.distance_floor * kShapeUnit * kShapeUnit;
  made.lead_weights = weights_of_leads(embedded.leads, options.lead_floor);
  made.shapes = Buffer<std::int16_t, Context>(context, beats * made.width);
  made.squares = Buffer<std::int64_t, Context>(context, beats);
  made.nearest = Buffer<std::uint8_t, Context>(context, beats);
  made.distances = Buffer<float, Context>(context, beats);
  const auto in_time = time_weights(embedded.rows.points, rows, options);
  std::vector<std::int16_t> median;
  for (std::int64_t l = 0; l < leads; ++l) {
    const auto& lead = embedded.leads[l].beats;
    const auto scale = scale_of_lead(lead.reference.median, lead.reference.spread, made.lead_weights[l], in_time);
    shape_rows(context, lead.rows, from_host(context, scale.offset), from_host(context, scale.factor), l, made.width,
               made.shapes);
    for (const double value : scale.offset)
      median.push_back(
          static_cast<std::int16_t>(std::clamp<double>(std::rint(value), -kMostShapeValue, kMostShapeValue)));
  }
  shape_squares(context, made.shapes, made.squares);
  return median;
}

// Finds the nearest centre of each beat.
template <class Context>
void assign(Context& context, const std::vector<std::int16_t>& centres, BeatTemplates<Context>& made) {
  const auto there = from_host(context, centres);
  Buffer<std::int64_t, Context> squares(context, std::ssize(centres) / made.width);
  shape_squares(context, there, squares);
  nearest_shapes(context, {made.shapes, made.squares}, {there, squares}, made.width, made.floor, made.nearest,
                 made.distances);
}

// Returns the radius, by the distances of good beats from the median beat.
template <class Context>
double radius_of(Context& context, const std::vector<std::int16_t>& median, const std::vector<std::uint8_t>& good,
                 const TemplateOptions& options, BeatTemplates<Context>& made) {
  assign(context, median, made);
  const auto measured = from_host(context, sample_places(good));
  const auto distances = to_host(context, gathered(context, made.distances, measured));
  return std::clamp(options.radius_factor * quantile(distances, 0.5), options.least_radius, options.most_radius);
}

// Returns the beats whose neighbours are counted: good ones, half of them the most atypical if there are many.
std::vector<std::int64_t> sampled_beats(const std::vector<std::uint8_t>& good, std::span<const float> odd, int most) {
  const std::int64_t count = std::ranges::count(good, 1), half = most / 2;
  if (count <= most) return sample_places(good, most);
  auto sample = sample_places(good, half);
  auto rest = good;
  for (const std::int64_t b : sample) rest[b] = 0;
  std::vector<float> scores;
  scores.reserve(count - half);
  for (std::size_t b = 0; b < rest.size(); ++b)
    if (rest[b]) scores.push_back(odd[b]);
  const float least = nth_value<float>(scores, scores.size() - half);
  std::int64_t equal = half - std::ranges::count_if(scores, [=](float score) { return score > least; });
  for (std::size_t b = 0; b < rest.size(); ++b)
    if (rest[b] && odd[b] >= least && (odd[b] > least || equal-- > 0)) sample.push_back(static_cast<std::int64_t>(b));
  std::ranges::sort(sample);
  return sample;
}

template <class Context>
std::vector<Cluster> first_clusters(Context& context, const std::vector<std::int64_t>& sample,
                                    const BeatTemplates<Context>& made, int most) {
  const std::int64_t count = std::ssize(sample);
  const auto places = from_host(context, sample);
  Buffer<std::int16_t, Context> shapes(context, count * made.width);
  Buffer<std::int64_t, Context> squares(context, count);
  Buffer<std::uint32_t, Context> neighbours(context, count * words_for(count));
  gather_shapes(context, made.shapes, places, made.width, shapes);
  shape_squares(context, shapes, squares);
  shape_neighbours(context, {shapes, squares}, made.width, made.floor, static_cast<float>(made.radius), neighbours);
  const auto [on_host, near] = to_hosts(context, shapes, neighbours);
  return clusters_of_neighbours(on_host, made.width, near, most);
}

// One pass of k-means: the next centres are the means of the good beats that are near the last ones.
template <class Context>
std::vector<Cluster> next_clusters(Context& context, const std::vector<Cluster>& last,
                                   const Buffer<std::uint8_t, Context>& good, const TemplateOptions& options,
                                   BeatTemplates<Context>& made) {
  const std::int64_t count = std::ssize(last);
  assign(context, centres_of(last), made);
  Buffer<std::uint8_t, Context> groups(context, good.size());
  Buffer<std::int64_t, Context> sums(context, count * made.width), counts(context, count);
  near_groups(context, made.nearest, made.distances, good, static_cast<float>(options.member_radius * made.radius),
              groups);
  group_sums<std::int16_t>(context, made.shapes, groups, sums, counts);
  const auto [all_sums, members] = to_hosts(context, sums, counts);
  std::vector<Cluster> next;
  for (std::int64_t k = 0; k < count; ++k) {
    if (members[k] > 0 && (k == 0 || members[k] >= options.fewest_beats))
      next.push_back(cluster_of(std::span(all_sums).subspan(k * made.width, made.width), members[k]));
    else if (k == 0)
      next.push_back({std::vector<std::int64_t>(made.width), 0, last[0].centre});
  }
  merge_near(next, options.merge_radius * made.radius, made.floor);
  return next;
}

// Assigns all beats, and puts the templates into the order of their size.
template <class Context>
void finish(Context& context, const std::vector<Cluster>& clusters, BeatTemplates<Context>& made) {
  assign(context, centres_of(clusters), made);
  std::tie(made.template_of, made.distance) = to_hosts(context, made.nearest, made.distances);
  std::vector<std::int64_t> counts(clusters.size()), order(clusters.size());
  for (const std::uint8_t k : made.template_of) ++counts[k];
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](std::int64_t a, std::int64_t b) { return counts[a] > counts[b]; });
  std::vector<std::uint8_t> place(clusters.size());
  for (const std::int64_t k : order) {
    if (counts[k] == 0) continue;
    place[k] = static_cast<std::uint8_t>(made.counts.size());
    made.counts.push_back(counts[k]);
    made.centres.insert(made.centres.end(), clusters[k].centre.begin(), clusters[k].centre.end());
  }
  for (std::uint8_t& k : made.template_of) k = place[k];
  made.nearest = from_host(context, made.template_of);
}

}  // namespace

template <class Context>
BeatTemplates<Context> templates_of(Context& context, const EmbeddedBeats<Context>& embedded, const RowOptions& rows,
                                    const TemplateBeats& beats, const TemplateOptions& options) {
  const std::int64_t count = embedded.beats();
  BEATSCAN_EXPECTS(std::ssize(beats.good) == count && std::ssize(beats.odd) == count, "templates_of: bad shape");
  BEATSCAN_EXPECTS(
      1 <= options.most && options.most <= kMostGroups && 2 <= options.sample && options.sample <= kMostSampleShapes,
      "templates_of: option out of range");
  std::vector<std::uint8_t> good(beats.good.begin(), beats.good.end());
  if (std::ranges::count(good, 1) < kFewRegular) good.assign(count, 1);
  BeatTemplates<Context> made;
  std::vector<std::int64_t> sample;
  run_together(
      [&] {
        const auto median = make_shapes(context, embedded, rows, options, made);
        made.radius = radius_of(context, median, good, options, made);
      },
      [&] { sample = sampled_beats(good, beats.odd, options.sample); });
  auto clusters = first_clusters(context, sample, made, options.most);
  const auto good_there = from_host(context, good);
  for (int pass = 0; pass < options.passes; ++pass)
    clusters = next_clusters(context, clusters, good_there, options, made);
  finish(context, clusters, made);
  return made;
}

#define BEATSCAN_TEMPLATES_OF(Context)                                                                     \
  template BeatTemplates<Context> templates_of(Context&, const EmbeddedBeats<Context>&, const RowOptions&, \
                                               const TemplateBeats&, const TemplateOptions&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_TEMPLATES_OF)

}  // namespace beatscan
