// app/report/words/beat_runs.h — how the beats of one kind stand together: alone, in pairs, in runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace beatscan {

struct StoredResult;

// Beats of one kind: how many lie in ventricular fibrillation or flutter, and how many of the others stand alone, in
// pairs, and in runs of three or more. Beats follow each other by the rule of the episodes V2, VT and IVR: the interval
// between them is known, from the shortest to the longest RR interval of a rhythm, and no part of it is fibrillation or
// flutter. Firsts and the longest run are beats; -1 where there is none.
struct BeatRuns {
  std::int64_t beats = 0, in_fibrillation = 0, alone = 0, couplets = 0, runs = 0, longest = 0;
  std::int64_t first = -1, first_couplet = -1, longest_run = -1;
};
BeatRuns runs_of(const StoredResult& result, char kind);

// Returns "alone, in 3 couplets and in a run of 5"; empty where there are no beats, or a single one
// outside of fibrillation.
std::string runs_words(const BeatRuns& runs);

// Says of each interval between beats whether part of it is ventricular fibrillation or flutter, in which beats are not
// told: [K], the interval behind each beat.
std::vector<std::uint8_t> intervals_in_fibrillation(const StoredResult& result);

// Joins parts: "a", "a and b", "a, b and c".
std::string listed(const std::vector<std::string>& parts);

}  // namespace beatscan
