// app/evaluation/class_quality.h — compares beat classes with reference annotations, counted as by ANSI/AAMI EC57 and
// `bxb -S` of the WFDB applications.
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
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>

#include "stages/classify/beat_findings.h"

namespace beatscan {

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

}  // namespace beatscan
