// app/evaluation/evaluate_batch.h — compares all results of a batch with reference annotations: each recording, the
// sums over all of them (gross), and the means over recordings (average), like `sumstats` of the WFDB applications.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/evaluation/evaluate.h"

namespace beatscan {

// Returns whether the request is for a batch: its folder is not a result but contains results. Throws if the truth does
// not fit: a batch needs a folder of annotations, and a single result a file.
bool is_batch(const EvaluateRequest& request);

// Compares every result directly below the folder, by its name. The truth of NAME is the first that exists of NAME.atr,
// NAME.truth.csv and NAME.csv in the truth folder. Throws ErrorKind::input for a result without a truth file, and for a
// folder without results.
std::map<std::string, Evaluation> evaluate_batch(const EvaluateRequest& request);

// {"records": {NAME: {…}, …}, "gross": {…}, "average": {…}}. An average is over the recordings that have the value, and
// includes their number.
nlohmann::ordered_json to_json(const std::map<std::string, Evaluation>& evaluations);

}  // namespace beatscan
