// app/report/page_waves.h — P, QRS and T waves for the page's script: those of the beats that the page shows at full
// rate. The waves of a whole day would be as large as the rest of the page.
#pragma once

#include <cstdint>
#include <vector>

namespace beatscan {

class PageArrays;
struct StoredResult;

// Returns the numbers of the beats whose waves a page has, ascending: all beats where the page has the first lead at
// full rate, else those in its strips.
std::vector<std::int64_t> beats_with_waves(const StoredResult& result);

// Returns how many normal beats in good signal have a PR interval: those of the medians in summary.json.
std::int64_t beats_with_pr(const StoredResult& result);

// Adds these arrays; none where the result has no waves:
//   wave_beats                      the numbers of the beats
//   p_onset, p_end, qrs_onset, qrs_end, t_peak, t_end
//                                   seconds from the beat's sample; no value where the wave is absent
//   non_conducted, non_conducted_s  samples at the onset of the P waves without a QRS complex, and their lengths in s
void add_waves(const StoredResult& result, PageArrays& arrays);

}  // namespace beatscan
