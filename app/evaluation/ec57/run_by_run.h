// app/evaluation/ec57/run_by_run.h — compares runs of V, or of S, in two annotation files, as `rxr` does.
//
// A run of V is a sequence of V and F; fibrillation is one of more than five. A run of S is a sequence of S; atrial
// fibrillation (and flutter) is one of more than five, and beats N within are S. Any other beat and the start of
// shutdown end a run. For each run of one annotator, the longest run of the other one counts between a match window
// before its start and a match window after its end. Sensitivity goes through the runs of the reference, the positive
// predictive value through those of the test.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>

#include "app/evaluation/annotations.h"
#include "app/evaluation/ec57/figures.h"
#include "app/evaluation/ec57/marked_beats.h"

namespace beatscan::ec57 {

inline constexpr int kLongRun = 6;  // beats, and more
using RunMatrix = std::array<std::array<std::int64_t, kLongRun + 1>, kLongRun + 1>;

// [length in the reference][length in the test]
struct RunComparison {
  RunMatrix sensitivity{}, ppv{};
  RunComparison& operator+=(const RunComparison& other);
};

//   ectopic  'V' or 'S'
RunComparison compare_runs(std::span<const Annotation> reference, std::span<const Annotation> test,
                           const Period& period, char ectopic);

// The columns of `rxr -L`: couplets C, short runs S of three to five beats, long runs L.
Row run_row(const RunComparison& comparison);

// {"sensitivity": [[…], …], "ppv": [[…], …]}
nlohmann::ordered_json matrix_json(const RunComparison& comparison);

}  // namespace beatscan::ec57
