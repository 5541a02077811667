// kernels/features/reference_intervals.h — the steps in which the reference RR interval and the premature beats are
// found, beat by beat. stages/classify/accepted_intervals.h has the formulas.
//
// All lists have K values, one of each beat, and are in the context's memory. Both back ends give the same
// bits, but for the last ones of logarithms.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/runtime/context.h"

namespace beatscan::features {

// What is known of a beat.
enum BeatFlag : std::uint8_t {
  kIsPremature = 1,
  kIsExcluded = 2,
  kIsSteady = 4,  // its interval changes little, so that a run of premature beats may continue
};

inline constexpr double kLeastPremature = 0.08;

// least[i - 1] = min over j = 1, 2, 3 of |rr_s[i] - rr_s[i - j]| / near_s[i], i > 0
//   least  [K - 1]
void least_changes(Cpu&, std::span<const double> rr_s, std::span<const double> near_s, std::span<double> least);
void least_changes(Cuda&, std::span<const double> rr_s, std::span<const double> near_s, std::span<double> least);

// What the first flags are made of.
struct FirstFlags {
  std::span<const double> rr_s, near_s;
  std::span<const std::uint8_t> excluded;  // empty: no beat is excluded
  double recording_s;                      // median interval of the recording
};
// Writes the flags with which the rounds begin, and the change of the first beat.
//   change  [K] those after the first beat's are known
void first_flags(Cpu&, const FirstFlags& from, std::span<double> change, std::span<std::uint8_t> flags);
void first_flags(Cuda&, const FirstFlags& from, std::span<double> change, std::span<std::uint8_t> flags);

// accepted[i] = 1 if neither the beat nor the one before it is premature or excluded
void accepted_beats(Cpu&, std::span<const std::uint8_t> flags, std::span<std::uint8_t> accepted);
void accepted_beats(Cuda&, std::span<const std::uint8_t> flags, std::span<std::uint8_t> accepted);

// some[before[i]] = |rr_s[i] / reference_s[i] - 1| of each accepted beat
//   before  [K + 1] accepted beats before each
void reference_departures(Cpu&, std::span<const double> rr_s, std::span<const double> reference_s,
                          std::span<const std::uint32_t> before, std::span<double> some);
void reference_departures(Cuda&, std::span<const double> rr_s, std::span<const double> reference_s,
                          std::span<const std::uint32_t> before, std::span<double> some);

// Multiplies the scatter by 1.4826, computes the margins, and marks the premature beats, each by itself.
//   flags  of the previous round
//   next   the same with other premature beats
void premature_beats(Cpu&, std::span<const double> rr_s, std::span<const double> reference_s,
                     std::span<const std::uint8_t> flags, std::span<double> scatter, std::span<double> margin,
                     std::span<std::uint8_t> next);
void premature_beats(Cuda&, std::span<const double> rr_s, std::span<const double> reference_s,
                     std::span<const std::uint8_t> flags, std::span<double> scatter, std::span<double> margin,
                     std::span<std::uint8_t> next);

// The reference of each beat, and what follows from it.
struct ReferenceLists {
  std::span<const double> reference_s, scatter, change, margin;
  std::span<const std::uint8_t> flags;
};

enum ReferenceColumn : int {
  kReferenceRr,
  kPrematurity,
  kPause,
  kPrematurityMargin,
  kPrematureBeat,
  kReferenceScatter,
  kRrChange,
  kRrSumBefore,
  kRrSumAround,
  kReferenceColumns
};
// Writes the columns relative to the reference.
//   columns  [kReferenceColumns][K]
void reference_columns(Cpu&, std::span<const double> rr_s, const ReferenceLists& lists, std::span<float> columns);
void reference_columns(Cuda&, std::span<const double> rr_s, const ReferenceLists& lists, std::span<float> columns);

}  // namespace beatscan::features
