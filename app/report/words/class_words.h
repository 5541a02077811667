// app/report/words/class_words.h — describes the beats of a template: class, morphology and timing.
#pragma once

#include <cstdint>
#include <string>

namespace beatscan {

struct BeatTable;
struct StoredResult;

// Returns "normal", "supraventricular", "ventricular", "fusion" or "unclassified".
std::string class_name(char beat_class);

// Says whether a pacemaker stimulates the ventricles before the beats of a template; false if there is no such one.
bool is_paced_shape(const StoredResult& result, std::int64_t shape);

// Returns the width of the QRS complex of a template over that of the dominant one; NaN where it is not known, as in a
// result of a version that did not write widths.
double relative_width(const StoredResult& result, std::int64_t k);

// Returns the place among the leads with a median beat of the one in which a template is least like the first one.
std::int64_t most_telling_lead(const StoredResult& result, std::int64_t k);

// Returns the median of RR interval before / reference RR over the beats of a template; NaN where none is known.
double median_prev_ratio(const BeatTable& beats, std::int64_t k);

// Returns "QRS 1.6 times as wide as the dominant one; dissimilar to the dominant morphology (correlation 0.31); ..."
std::string template_reason(const StoredResult& result, std::int64_t k);

// Describes a beat: its class, its own timing, and its template's QRS width. Empty for a normal beat.
std::string class_reason(const StoredResult& result, std::int64_t beat);

}  // namespace beatscan
