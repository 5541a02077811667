// app/evaluation/ec57/beat_by_beat.h — compares two annotation files beat by beat, as `bxb` does.
//
// A reference beat and a test beat are a pair if they lie within the match window of each other and neither has a
// closer partner in its next neighbour. A beat without a partner is paired with O, or with X in shutdown of the other
// annotator. Test beats in fibrillation of the reference do not count.
//
//   QRS   Se = pairs of two beats / reference beats; +P = such pairs / test beats
//   V     Se = Vv / row V, +P = Vv / (Vv + Nv + Sv + Ov + Xv), FPR = (Nv + Sv + Ov + Xv) / (that + VTN)
//   S     Se = Ss / row S, +P = Ss / (Ss + Ns + Vs + Fs + Os + Xs), FPR likewise
//   VTN   pairs of rows N, S, F, Q, O and X with columns n, s, f and q
// A fusion or unclassifiable beat (F, Q) labelled V is not an error. Neither is an unclassifiable beat labelled S.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "app/evaluation/ec57/figures.h"
#include "app/evaluation/ec57/marked_beats.h"

namespace beatscan::ec57 {

inline constexpr std::string_view kPairLabels = "NSVFQOX";

struct BeatComparison {
  std::array<std::array<std::int64_t, 7>, 7> pairs{};  // [reference][test], in the order of kPairLabels
  std::int64_t rr_errors = 0;                          // pairs of RR intervals
  double rr_error_sum_ms2 = 0;                         // sum of their squared differences
  double shutdown_s = 0;                               // of the test annotator, from the start of the recording

  std::int64_t at(char reference, char test) const {
    return pairs[kPairLabels.find(reference)][kPairLabels.find(test)];
  }
  BeatComparison& operator+=(const BeatComparison& other);
};

// Like `bxb`, each step compares the RR intervals of the two beats that it looks at, which need not be a pair.
BeatComparison compare_beats(const MarkedBeats& reference, const MarkedBeats& test, const Period& period);

// The columns of `bxb -L`, and the false positive rates. N' is N + F + Q of the test, F' is F + Q of the reference, O'
// is O + X.
Row beat_row(const BeatComparison& comparison);

// Beats missed in shutdown, by label and as shares, and its duration.
Row shutdown_row(const BeatComparison& comparison);

// {"N": {"N": 1, …, "X": 0}, …}
nlohmann::ordered_json matrix_json(const BeatComparison& comparison);

}  // namespace beatscan::ec57
