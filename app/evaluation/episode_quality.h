// app/evaluation/episode_quality.h — compares episodes with reference episodes, as `epicmp` of the WFDB applications
// does (ANSI/AAMI EC57).
//
//   sensitivity           share of reference episodes that overlap a detected episode of the label
//   ppv                   share of detected episodes that overlap a reference episode
//   duration_sensitivity  time in both / time of reference episodes
//   duration_ppv          time in both / time of detected episodes
// Time annotated as atrial flutter (AFL) is removed from detected AFIB before ppv and duration_ppv. VF and VFL are one
// label, VF. Unlike epicmp, the first five minutes are included; app/evaluation/ec57 leaves them out.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace beatscan {

struct LabelledStretch;
struct TimeSpan;

struct EpisodeQuality {
  std::int64_t reference = 0, reference_found = 0;  // episodes
  std::int64_t found = 0, found_true = 0;           // episodes
  double reference_s = 0, reference_in_both_s = 0;
  double found_s = 0, found_in_both_s = 0;
  EpisodeQuality& operator+=(const EpisodeQuality& other);
  std::optional<double> sensitivity() const;
  std::optional<double> ppv() const;
  std::optional<double> duration_sensitivity() const;
  std::optional<double> duration_ppv() const;
};

// Compares episodes of one label, in samples and in time order. They do not overlap each other.
//   left_out  removed from what was found
EpisodeQuality compare_spans(std::span<const TimeSpan> reference, std::span<const TimeSpan> found,
                             std::span<const TimeSpan> left_out, double sample_rate_hz);

// Compares episodes of every label that both the reference and the program may have: AFIB, AFL, BI, NOD, VT, IVR, SVT,
// B, T, SBR and VF. Omits a label that occurs in neither.
std::map<std::string, EpisodeQuality> compare_episodes(std::span<const LabelledStretch> reference,
                                                       std::span<const LabelledStretch> found, double sample_rate_hz);

// {"AFIB": {"sensitivity": …, "ppv": …, "duration_sensitivity": …, "duration_ppv": …, …}, …}
nlohmann::ordered_json to_json(const std::map<std::string, EpisodeQuality>& quality);

}  // namespace beatscan
