// app/evaluation/beat_quality.h — compares detected beats with reference beats: detection, classes and ranking.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "stages/classify/beat_findings.h"

namespace beatscan {

// Returns part / whole; nullopt if whole is 0.
template <class Number>
std::optional<double> quotient(Number part, Number whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

// Returns, for every reference beat, the index of the matched detected beat, or nullopt. Both inputs ascend. Each
// detected beat is matched at most once, within the tolerance (inclusive). The number of pairs is maximal and, among
// such matchings, the total distance is minimal. So a stray detection is not matched in place of the beat itself.
std::vector<std::optional<std::size_t>> match_beats(std::span<const std::int64_t> reference,
                                                    std::span<const std::int64_t> detected,
                                                    std::int64_t tolerance_samples);

// Compares beat classes with reference annotations, counted as by ANSI/AAMI EC57 and `bxb -S` of the WFDB applications.
//
// Matrix: a row is the class of a reference beat, a column the class of the detected beat that it is matched to. The
// last row counts false detections, the last column missed beats. Detections within ventricular flutter or fibrillation
// of the reference that match no reference beat are not counted.
//
//   V: fp = NV + SV + OV          S: fp = NS + VS + FS + OS
//   fn = the row's other columns;  sensitivity = tp / (tp + fn);  ppv = tp / (tp + fp)
//   false positive rate = fp / (fp + tn); tn: detected beats of other classes that are classified as other classes, and
//   false detections of other classes
// A fusion or unclassifiable beat (F, Q) classified as V is not an error. Neither is an unclassifiable beat classified
// as S.

inline constexpr std::string_view kClassRows = "NSVFQO";  // the beat classes; O: no beat
static_assert(kClassRows.substr(0, kBeatClassCount) == kClassLetters);

// [reference class][detected class], both in the order of kClassRows.
struct ClassMatrix {
  std::array<std::array<std::int64_t, 6>, 6> counts{};
  std::int64_t& at(char reference, char beat_class) {
    return counts[kClassRows.find(reference)][kClassRows.find(beat_class)];
  }
  std::int64_t at(char reference, char beat_class) const {
    return counts[kClassRows.find(reference)][kClassRows.find(beat_class)];
  }
};

// A value is nullopt if its denominator is 0.
struct ClassQuality {
  std::int64_t tp = 0, fp = 0, fn = 0, tn = 0;
  std::optional<double> sensitivity, ppv, f1, false_positive_rate;
};

// Returns the quality of class 'V' or 'S'.
ClassQuality quality_of_class(const ClassMatrix& matrix, char beat_class);

// {"V": {…}, "S": {…}, "matrix": {"N": {"N": 1, …}, …}}
nlohmann::ordered_json to_json(const ClassMatrix& matrix);

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
