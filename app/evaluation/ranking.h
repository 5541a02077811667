// app/evaluation/ranking.h — how well scores separate positives from negatives.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace beatscan {

// Returns the probability that a random positive has a higher score than a random negative. A tie counts one half.
std::optional<double> auroc(std::span<const double> positives, std::span<const double> negatives);

// The sum over the distinct scores, from the highest, of (increase in recall) x (precision down to this score). This is
// scikit-learn's average_precision_score: there is no interpolation, and equal scores are one step.
std::optional<double> average_precision(std::span<const double> positives, std::span<const double> negatives);

// The shares of negatives and of positives with at least a given score.
struct RocPoint {
  double false_positive_rate, true_positive_rate;
  bool operator==(const RocPoint&) const = default;
};

// The curve from {0, 0} to {1, 1}, with a point for each distinct score, from the highest. It is empty if there are no
// positives or no negatives.
std::vector<RocPoint> roc_curve(std::span<const double> positives, std::span<const double> negatives);

// Keeps at most kRocPoints points of a monotonic curve, including its ends. An omitted point is within a tolerance of
// the lines between the others. The tolerance is 1e-4, which is invisible in a drawing, and is doubled until the points
// are few enough.
inline constexpr std::size_t kRocPoints = 200;
std::vector<RocPoint> thinned(const std::vector<RocPoint>& curve);

}  // namespace beatscan
