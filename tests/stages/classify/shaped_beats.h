// tests/stages/classify/shaped_beats.h — beats of known shapes as rows, in the memory of a context.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "stages/windows/embedded_beats.h"

namespace beatscan {

// A shape is a pulse of a size, a width and a place. The median beat is {1, 10, 85}: the R peak is a third of the way.
struct Lobe {
  double size, width_points, place;
};
inline constexpr Lobe kUsualLobe{5, 8, 85};

inline float lobe_at(const Lobe& lobe, std::int64_t j) {
  return static_cast<float>(lobe.size *
                            std::exp(-0.5 * std::pow((static_cast<double>(j) - lobe.place) / lobe.width_points, 2)));
}

inline constexpr std::int64_t kBeatPoints = 256;
inline constexpr double kBeatSpread = 0.25;

// Returns beats of one or more leads. Beat b has the shape number of[b] and some noise; the median beat is the dominant
// shape.
template <class Context>
EmbeddedBeats<Context> shaped_beats(Context& context, const std::vector<Lobe>& lobes, const std::vector<int>& of,
                                    int leads, unsigned seed) {
  const auto beats = std::ssize(of);
  std::mt19937 random(seed);
  EmbeddedBeats<Context> embedded;
  std::vector<float> values, median;
  for (std::int64_t j = 0; j < kBeatPoints; ++j) median.push_back(lobe_at(kUsualLobe, j));
  for (std::int64_t i = 0; i < leads * beats * kBeatPoints; ++i) {
    const std::int64_t j = i % kBeatPoints;
    const float noise = static_cast<float>(random() % 201) / 1000 - 0.1f;
    values.push_back((lobe_at(lobes[of[i / kBeatPoints % beats]], j) - median[j] + noise) /
                     static_cast<float>(kBeatSpread));
  }
  embedded.rows.values = from_host(context, values);
  std::vector<std::int64_t> kept;
  for (std::int64_t b = 0; b < beats; ++b) kept.push_back(b);
  embedded.rows.kept = from_host(context, kept);
  embedded.rows.count = leads * beats;
  embedded.rows.points = kBeatPoints;
  for (int l = 0; l < leads; ++l) {
    EmbeddedLead<Context> lead;
    lead.lead = l;
    lead.beats.rows = Buffer<float, Context>::borrowed(
        embedded.rows.values.span().subspan(l * beats * kBeatPoints, beats * kBeatPoints));
    lead.beats.reference.median = median;
    lead.beats.reference.spread = kBeatSpread;
    embedded.leads.push_back(std::move(lead));
  }
  return embedded;
}

}  // namespace beatscan
