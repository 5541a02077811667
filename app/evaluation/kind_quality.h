// app/evaluation/kind_quality.h — compares the kinds of beats with reference annotations, as ANSI/AAMI EC57 asks and
// `bxb -S` of the WFDB applications counts.
//
// Matrix: a row is the class of a reference beat, a column the kind of the beat that it is matched to. The last row
// counts false beats, and the last column beats that were missed. Beats that were found within ventricular flutter or
// fibrillation of the reference, and match no reference beat, are not counted.
//
//   V: fp = NV + SV + OV          S: fp = NS + VS + FS + OS
//   fn = the class's other columns;  sensitivity = tp / (tp + fn);  ppv = tp / (tp + fp)
//   false positive rate = fp / (fp + tn), where tn are the beats of other classes that were found and have other
//   kinds, and false beats of other kinds
// A fusion or unknown beat (F, Q) that is called V does not count as a fault. Neither does an unknown beat that is
// called S.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>

#include "stages/findings/beat_class.h"

namespace beatscan {

inline constexpr std::string_view kKindRows = "NSVFQO";  // the kinds; O: none
static_assert(kKindRows.substr(0, kKinds) == kKindLetters);

// [reference class][kind], both in the order of kKindRows.
struct KindMatrix {
  std::array<std::array<std::int64_t, 6>, 6> counts{};
  std::int64_t& at(char reference, char kind) { return counts[kKindRows.find(reference)][kKindRows.find(kind)]; }
  std::int64_t at(char reference, char kind) const { return counts[kKindRows.find(reference)][kKindRows.find(kind)]; }
};

// A value does not exist if its denominator is 0.
struct KindQuality {
  std::int64_t tp = 0, fp = 0, fn = 0, tn = 0;
  std::optional<double> sensitivity, ppv, f1, false_positive_rate;
};

// Returns the quality of kind 'V' or 'S'.
KindQuality quality_of_kind(const KindMatrix& matrix, char kind);

// {"V": {…}, "S": {…}, "matrix": {"N": {"N": 1, …}, …}}
nlohmann::ordered_json to_json(const KindMatrix& matrix);

}  // namespace beatscan
