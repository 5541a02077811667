// app/evaluation/ec57/comparison.h — compares results with reference annotations as ANSI/AAMI EC57 says: each
// recording, the sums over all of them (gross), and the means over recordings (average).
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "app/evaluation/ec57/beat_by_beat.h"
#include "app/evaluation/ec57/episodes_and_rates.h"
#include "app/evaluation/ec57/run_by_run.h"
#include "app/evaluation/evaluate.h"

namespace beatscan::ec57 {

struct Comparison {
  BeatComparison beats;
  RunComparison v_runs, s_runs;
  EpisodeQuality af, vf;
  RateComparison heart_rate;
  std::vector<std::string> warnings = {};
  Comparison& operator+=(const Comparison& other);  // without the warnings
};

// Compares two lists of annotations, both in time order.
Comparison compare(std::span<const Annotation> reference, std::span<const Annotation> test, const Period& period);

// Compares the annotation file RECORD.vae of a result with the reference. Beats in a table have no rhythms; those of
// `request.rhythms` take the place of the reference's, if given. Throws ErrorKind::input for a file that is missing or
// damaged.
Comparison compare_result(const EvaluateRequest& request);

// Compares one result, or all results of a batch but those that are excluded. Returns them by name.
std::map<std::string, Comparison> compare_results(const EvaluateRequest& request,
                                                  std::span<const std::string> excluded);

Comparison gross_of(const std::map<std::string, Comparison>& comparisons);

// {"standard": "ANSI/AAMI EC57", "learning_s": 300, "match_window_ms": …, "records": {NAME: {…}}, "gross": {…},
// "average": {…}}. A record and gross have "beats", "shutdown", "runs", "episodes" and "heart_rate".
nlohmann::ordered_json to_json(const std::map<std::string, Comparison>& comparisons, double match_window_ms);

}  // namespace beatscan::ec57
