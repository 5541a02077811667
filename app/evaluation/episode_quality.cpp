#include "app/evaluation/episode_quality.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "app/common/json_text.h"
#include "app/evaluation/annotations.h"
#include "app/evaluation/beat_quality.h"
#include "stages/rhythm/intervals.h"

namespace beatscan {
namespace {

// A label of the program, and the equivalent labels of the reference and of the program.
struct SameLabels {
  std::string_view name;
  std::array<std::string_view, 3> reference;
  std::array<std::string_view, 2> found;
};

constexpr std::array<SameLabels, 11> kLabels = {{{"AFIB", {"AFIB"}, {"AFIB"}},
                                                 {"AFL", {"AFL"}, {"AFL"}},
                                                 {"BI", {"BI"}, {"BI"}},
                                                 {"NOD", {"NOD", "J"}, {"NOD"}},
                                                 {"VT", {"VT"}, {"VT"}},
                                                 {"IVR", {"IVR"}, {"IVR"}},
                                                 {"SVT", {"SVTA", "SVT"}, {"SVT"}},
                                                 {"B", {"B"}, {"B"}},
                                                 {"T", {"T"}, {"T"}},
                                                 {"SBR", {"SBR"}, {"SBR"}},
                                                 {"VF", {"VF", "VFL", "VFIB"}, {"VF", "VFL"}}}};

// Returns the episodes with one of these labels. Touching and overlapping ones are merged.
std::vector<TimeSpan> parts_of(std::span<const LabelledStretch> stretches, std::span<const std::string_view> labels) {
  std::vector<TimeSpan> parts;
  for (const auto& stretch : stretches) {
    if (stretch.label.empty() || std::ranges::find(labels, stretch.label) == labels.end()) continue;
    if (!(stretch.end > stretch.start)) continue;
    if (!parts.empty() && stretch.start <= parts.back().end)
      parts.back().end = std::max(parts.back().end, stretch.end);
    else
      parts.push_back({stretch.start, stretch.end});
  }
  return parts;
}

double overlap_of(const TimeSpan& part, std::span<const TimeSpan> others) {
  double sum = 0;
  for (const TimeSpan& other : others)
    sum += std::max(0.0, std::min(part.end, other.end) - std::max(part.start, other.start));
  return sum;
}

double length_of(std::span<const TimeSpan> parts) {
  double sum = 0;
  for (const TimeSpan& part : parts) sum += part.end - part.start;
  return sum;
}

}  // namespace

EpisodeQuality compare_spans(std::span<const TimeSpan> reference, std::span<const TimeSpan> found,
                             std::span<const TimeSpan> left_out, double sample_rate_hz) {
  EpisodeQuality quality;
  for (const TimeSpan& part : reference) {
    const double both = overlap_of(part, found);
    ++quality.reference;
    quality.reference_found += both > 0;
    quality.reference_in_both_s += both / sample_rate_hz;
  }
  quality.reference_s = length_of(reference) / sample_rate_hz;
  for (const TimeSpan& part : found) {
    const auto pieces = parts_outside(part, left_out);
    if (pieces.empty()) continue;
    double both = 0;
    for (const TimeSpan& piece : pieces) both += overlap_of(piece, reference);
    ++quality.found;
    quality.found_true += both > 0;
    quality.found_in_both_s += both / sample_rate_hz;
    quality.found_s += length_of(pieces) / sample_rate_hz;
  }
  return quality;
}

EpisodeQuality& EpisodeQuality::operator+=(const EpisodeQuality& other) {
  reference += other.reference;
  reference_found += other.reference_found;
  found += other.found;
  found_true += other.found_true;
  reference_s += other.reference_s;
  reference_in_both_s += other.reference_in_both_s;
  found_s += other.found_s;
  found_in_both_s += other.found_in_both_s;
  return *this;
}

std::optional<double> EpisodeQuality::sensitivity() const { return quotient(reference_found, reference); }
std::optional<double> EpisodeQuality::ppv() const { return quotient(found_true, found); }
std::optional<double> EpisodeQuality::duration_sensitivity() const {
  return quotient(reference_in_both_s, reference_s);
}
std::optional<double> EpisodeQuality::duration_ppv() const { return quotient(found_in_both_s, found_s); }

std::map<std::string, EpisodeQuality> compare_episodes(std::span<const LabelledStretch> reference,
                                                       std::span<const LabelledStretch> found, double sample_rate_hz) {
  constexpr std::array<std::string_view, 1> kAtrialFlutter = {"AFL"};
  const auto atrial_flutter = parts_of(reference, kAtrialFlutter);
  std::map<std::string, EpisodeQuality> quality;
  for (const auto& label : kLabels) {
    const auto theirs = parts_of(reference, label.reference), ours = parts_of(found, label.found);
    if (theirs.empty() && ours.empty()) continue;
    const std::span<const TimeSpan> left_out =
        label.name == "AFIB" ? std::span(atrial_flutter) : std::span<const TimeSpan>();
    quality[std::string(label.name)] = compare_spans(theirs, ours, left_out, sample_rate_hz);
  }
  return quality;
}

nlohmann::ordered_json to_json(const std::map<std::string, EpisodeQuality>& quality) {
  auto json = nlohmann::ordered_json::object();
  for (const auto& [label, of_label] : quality)
    json[label] = {{"sensitivity", or_null(of_label.sensitivity())},
                   {"ppv", or_null(of_label.ppv())},
                   {"duration_sensitivity", or_null(of_label.duration_sensitivity())},
                   {"duration_ppv", or_null(of_label.duration_ppv())},
                   {"reference_episodes", of_label.reference},
                   {"reference_episodes_found", of_label.reference_found},
                   {"found_episodes", of_label.found},
                   {"found_episodes_true", of_label.found_true},
                   {"reference_s", of_label.reference_s},
                   {"reference_in_both_s", of_label.reference_in_both_s},
                   {"found_s", of_label.found_s},
                   {"found_in_both_s", of_label.found_in_both_s}};
  return json;
}

}  // namespace beatscan
