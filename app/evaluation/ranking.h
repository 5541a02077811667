// app/evaluation/ranking.h — how well scores part positives from negatives.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace beatscan {

// The probability that a random positive has a higher score than a random negative, ties counting one half.
std::optional<double> auroc(std::span<const double> positives, std::span<const double> negatives);

// Sum over the distinct scores, from the highest, of (increase in recall) x (precision down to this score), as
// scikit-learn's average_precision_score: no interpolation, equal scores are one step.
std::optional<double> average_precision(std::span<const double> positives, std::span<const double> negatives);

// The shares of negatives and of positives with at least some score.
struct RocPoint {
  double false_positive_rate, true_positive_rate;
  bool operator==(const RocPoint&) const = default;
};

// From {0, 0} to {1, 1}, a point for each distinct score, from the highest; empty without positives or negatives.
std::vector<RocPoint> roc_curve(std::span<const double> positives, std::span<const double> negatives);

// At most kRocPoints of a curve whose coordinates never fall, its ends among them. What is left out is no further than
// a tolerance from the lines between what stays: 1e-4, less than a drawing shows, doubled until the rest is few enough.
inline constexpr std::size_t kRocPoints = 200;
std::vector<RocPoint> thinned(const std::vector<RocPoint>& curve);

}  // namespace beatscan
