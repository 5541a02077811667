#include "stages/findings/ventricular.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stages/findings/finding_options.h"
#include "stages/findings/template_facts.h"

namespace beatscan {
namespace {

constexpr double kLeastEnergy = -1, kMostEnergy = 1.5;  // ranges of the terms for energy and width
constexpr double kLeastWidth = -0.3, kMostWidth = 0.6;
constexpr double kWholeEarly = 0.24, kWholeLate = 0.4;  // where the terms for time reach 1
constexpr double kSiblingShare = 0.25;

// Returns the least distance of template k from the others in a list; infinity if there is none.
double least_from(const Facts& facts, std::int64_t k, const std::vector<std::int64_t>& others) {
  double least = std::numeric_limits<double>::infinity();
  for (const std::int64_t j : others)
    if (j != k) least = std::min<double>(least, facts.distances[k][j]);
  return least;
}

double shape_terms(double distance, double log_energy, double log_width, double width_weight,
                   const VentricularOptions& options) {
  return options.distance_weight * std::min(distance, options.most_distance) +
         options.energy_weight * std::clamp(log_energy, kLeastEnergy, kMostEnergy) +
         width_weight * std::clamp(log_width, kLeastWidth, kMostWidth);
}

double share_or_none(double value) { return std::isfinite(value) ? std::clamp(value, 0.0, 1.0) : 0; }

// Returns how much of a pause there is behind beats: from 0, as usual, to 1.
double lateness(double next_ratio) { return share_or_none((next_ratio - 1) / kWholeLate); }

// Makes templates V that look like one that is V and not like a usual one.
void add_siblings(const Facts& facts, const VentricularOptions& options, VentricularTemplates& judged) {
  const std::int64_t count = std::ssize(facts.templates);
  for (std::int64_t k = 1; k < count; ++k) {
    if (judged.ventricular[k]) continue;
    std::vector<std::int64_t> alike;
    for (std::int64_t j = 0; j < count; ++j)
      if (judged.ventricular[j]) alike.push_back(j);
    const double from_usual = least_from(facts, k, judged.usual);
    if (least_from(facts, k, alike) >= std::min(options.sibling_distance, kSiblingShare * from_usual)) continue;
    judged.ventricular[k] = 1;
    std::erase(judged.usual, k);
  }
}

// Says whether shape k is on the way from u to v.
bool is_between(const std::int16_t* k, const std::int16_t* u, const std::int16_t* v, std::int64_t width,
                const FusionOptions& options) {
  std::int64_t along = 0, way = 0, apart = 0;
  for (std::int64_t j = 0; j < width; ++j) {
    const std::int64_t from = k[j] - u[j], to = v[j] - u[j];
    along += from * to;
    way += to * to;
    apart += from * from;
  }
  if (way == 0 || apart == 0) return false;
  const double share = static_cast<double>(along) / static_cast<double>(way);
  const double aside = static_cast<double>(apart) - share * static_cast<double>(along);
  return options.least_share < share && share < options.most_share &&
         aside < options.most_aside * static_cast<double>(apart);
}

}  // namespace

VentricularTemplates ventricular_templates(const Facts& facts, std::span<const float> odd, std::int64_t beats,
                                           const VentricularOptions& options) {
  const std::int64_t count = std::ssize(facts.templates);
  VentricularTemplates judged{std::vector<std::uint8_t>(count), {0}};
  for (std::int64_t k = 1; k < count; ++k) {
    const TemplateFacts& of = facts.templates[k];
    const double distance = least_from(facts, k, judged.usual);
    const double z = shape_terms(distance, of.log_energy, of.log_width, options.width_weight, options) +
                     options.early_weight * of.early_share + options.late_weight * lateness(of.next_ratio);
    const bool is_very_odd = !odd.empty() && odd[k] >= options.very_odd && of.log_width >= options.odd_width;
    judged.ventricular[k] = z > 1 && distance > (is_very_odd ? options.odd_distance : options.least_distance);
    if (!judged.ventricular[k] && of.early_share < options.usual_early &&
        static_cast<double>(of.beats) >= options.usual_share * static_cast<double>(beats))
      judged.usual.push_back(k);
  }
  add_siblings(facts, options, judged);
  return judged;
}

bool is_ventricular_alone(const AloneBeat& beat, const VentricularOptions& options) {
  const double z = shape_terms(beat.from_usual, beat.log_energy, beat.log_width, options.alone_width_weight, options) +
                   options.early_weight * share_or_none((1 - beat.ratio) / kWholeEarly) +
                   options.alone_late_weight * lateness(beat.next_ratio);
  return z > options.alone_least && beat.from_usual > options.least_distance;
}

double least_odd_of(double noise_of_shape, double ratio, const VentricularOptions& options) {
  const bool on_time = !(ratio < options.early_ratio);
  if (!on_time || noise_of_shape <= options.noisy_shape) return options.least_odd;
  return std::max(options.least_odd, options.least_odd_in_noise);
}

std::vector<std::uint8_t> fusion_templates(const Facts& facts, const VentricularTemplates& judged,
                                           std::span<const std::int16_t> centres, std::int64_t width,
                                           const FusionOptions& options) {
  const std::int64_t count = std::ssize(facts.templates);
  const auto centre = [&](std::int64_t k) { return centres.data() + k * width; };
  std::vector<std::uint8_t> fusion(count);
  for (std::int64_t k = 1; k < count; ++k) {
    const TemplateFacts& of = facts.templates[k];
    if (of.early_share > options.most_early || least_from(facts, k, judged.usual) < options.least_distance) continue;
    const auto nearest =
        *std::ranges::min_element(judged.usual, {}, [&](std::int64_t u) { return facts.distances[k][u]; });
    const std::int64_t usual = nearest == k ? 0 : nearest;
    for (std::int64_t v = 1; v < count; ++v) {
      if (v == k || !judged.ventricular[v] || facts.templates[v].beats < of.beats ||
          facts.templates[v].early_share < options.ventricular_early)
        continue;
      if (is_between(centre(k), centre(usual), centre(v), width, options)) fusion[k] = 1;
    }
  }
  return fusion;
}

}  // namespace beatscan
