// app/report/page_data.h — the data that the page's script draws: the summary, the signal, the beats and the strips.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/common/json.h"

namespace beatscan {

struct StoredResult;

// The numbers of the whole result as JSON text of packed arrays (pack.h). An array holds whole numbers; `scales` has
// {name: {offset, step}}, by which a number n stands for offset + n * step. A list of these is for as many equal parts
// of the array. Scores are in hundredths, rounded upwards: score > n / 100 exactly where the stored number is > n.
struct PackedResult {
  std::vector<std::string> arrays;  // the parts of the text of an object
  Json scales;
};
PackedResult packed_result(const StoredResult& result);

// Returns JSON, in parts, that may stand in a <script> element:
//   facts    rate_hz, samples, length, bin_samples, threshold …
//   summary, config   summary.json, without names of files and comments of the recording, and config.json
//   revision   {beats, inserted, …} of summary.json: what a reader corrected; null of a result as it was analysed
//   options  [[option, value, default, meaning], …] that differ from the default
//   paper    mm_per_second, samples_per_second, text
//   leads    [{name, unit, mm_per_unit, strip_samples, used, analysable, missing, gaps, poor}, …]
//   poor     [[from, to, what], …] where no lead is good
//   strip_beats, row_leads, reasons   the beats of the gallery, the leads they are shown in, and why they rank there
//   finding_places   samples in the middle of the strips after those of the gallery
//   reference_leads  the leads that have a median beat
//   templates   [{beat_class, beats, share, typical, reason …}, …]
//   labels      [[label, words, group], …] of episodes, the most severe first
//   episodes    {labels, qualities}, which the arrays episode_label and episode_quality count; null without episodes
//   pr_beats    beats that the median PR interval is of
//   least_measured, active_variance   limits of the analysis that the page names
//   scales, arrays   the packed result
std::vector<std::string> page_data(const StoredResult& result);

}  // namespace beatscan
